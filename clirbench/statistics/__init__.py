"""Rows and numbers: what the analyses compute, without prose."""
