"""Readers of corpora: test sets, collections and their document boundaries."""
