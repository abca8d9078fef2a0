"""Generic Wiegand and RFID: cards that a front desk writes with an encoder of its own, or has written."""
