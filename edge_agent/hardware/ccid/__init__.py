"""ACR122U: a PN532 behind smart-card framing (CCID) and pseudo-APDUs."""
