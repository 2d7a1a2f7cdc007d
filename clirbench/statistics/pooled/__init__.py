"""Statistics over several collections: what the pooled estimate is, how far it carries, what a new one would show."""
