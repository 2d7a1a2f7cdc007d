"""Analyses of the laboratory papers."""
