"""Statistics of systems that are not all independent: units, and what may be said across them."""
