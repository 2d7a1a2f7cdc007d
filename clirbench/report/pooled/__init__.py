"""Runs over several collections: read, pooled, and shown as sentences, tables and a page."""
