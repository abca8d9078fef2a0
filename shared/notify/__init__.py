"""Messengers on their wires: mail by SMTP, SMS by an API that several speak, pushes by FCM; and wallets."""
