"""Results kept by what they were made from."""
