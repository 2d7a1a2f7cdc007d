"""Statistics of systems that are not all independent: units, and inference across them."""
