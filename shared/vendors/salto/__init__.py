"""Salto: keys on phones through its cloud and the connector in the hotel."""
