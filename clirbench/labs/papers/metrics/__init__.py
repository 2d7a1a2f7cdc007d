"""Metrics of the laboratory papers."""
