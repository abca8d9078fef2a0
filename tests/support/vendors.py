"""The vendors of phase 1 (A §4), as tests call them; the product knows vendors by their folders alone."""

from shared.domain.kinds import VendorCode

TTLOCK = VendorCode("ttlock")
SALTO = VendorCode("salto")
ASSA_ABLOY = VendorCode("assa-abloy")
GENERIC_WIEGAND = VendorCode("generic-wiegand")
DORMAKABA = VendorCode("dormakaba")
PHASE_1_VENDORS = (TTLOCK, SALTO, ASSA_ABLOY, GENERIC_WIEGAND)
