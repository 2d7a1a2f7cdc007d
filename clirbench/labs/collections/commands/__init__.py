"""Commands of the laboratory collections."""
