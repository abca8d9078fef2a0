"""Every query the use cases make: what stores are opened with, and what Terraform creates."""

from shared.ledger.entry import DUE
from shared.ledger.kept_grant import AT_DEVICE, OF_CREDENTIAL
from shared.ports.documents import Index
from shared.usecases.estate import DEVICES

INDEXES: tuple[Index, ...] = (AT_DEVICE, DEVICES, DUE, OF_CREDENTIAL)
