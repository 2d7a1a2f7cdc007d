"""Commands of the laboratory models."""
