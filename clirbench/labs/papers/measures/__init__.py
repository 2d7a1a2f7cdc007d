"""Measures of papers and evaluations."""
