"""Statistics of the laboratory papers."""
