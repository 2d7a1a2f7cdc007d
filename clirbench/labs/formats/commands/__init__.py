"""Commands of the laboratory formats."""
