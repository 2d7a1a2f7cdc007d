"""The published tables of the source papers computed again, and the analyses and metrics that they need."""
