"""Cards: MIFARE Classic and NTAG memory, the keys that open them, and what stands on a key card."""
