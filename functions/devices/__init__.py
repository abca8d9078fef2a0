"""Locks as things: looked at by day, heard each night, and taken out of use on a person's word."""
