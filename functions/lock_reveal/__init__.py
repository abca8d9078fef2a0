"""The one function of staff's API that opens a PIN: apart, so that no other may."""
