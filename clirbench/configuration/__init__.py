"""What the keys of a configuration may hold, checked before anything is built from it."""
