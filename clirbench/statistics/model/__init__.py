"""The measurement model: what is noise, what is true, and what may be decided from it."""
