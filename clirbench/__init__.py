"""clirbench: does an MT metric predict retrieval quality, how sure is that, and which checkpoint to ship."""

__version__ = "0.1.0"
