"""Analyses of the laboratory choosing."""
