"""Backup codes: made before anybody needs them, handed out once, and made anew."""
