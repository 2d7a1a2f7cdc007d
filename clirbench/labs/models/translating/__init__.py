"""How the texts of a translator are made and kept: shards, their costs, what a run asks."""
