"""Statistics of the laboratory choosing."""
