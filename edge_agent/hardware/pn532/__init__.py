"""NXP's PN532 over a serial line: frames, commands, the conversation, and the chip as a card reader."""
