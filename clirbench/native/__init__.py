"""Loops that numpy has no words for, in C: built with the wheel where there is a compiler."""
