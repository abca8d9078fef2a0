"""Ehuoyan's YHY523U, YHY632 and ER302 encoders over a serial line."""
