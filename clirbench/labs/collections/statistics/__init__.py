"""Statistics of the laboratory collections."""
