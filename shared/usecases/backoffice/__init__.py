"""The backoffice at work (document C): who is signed in where, what waits for them, what others told of."""
