"""Messengers on their wires: mail by SMTP, SMS by an API that several providers speak, pushes by FCM."""
