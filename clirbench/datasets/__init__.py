"""Data sets of others: manifests, and downloads that keep their promise."""
