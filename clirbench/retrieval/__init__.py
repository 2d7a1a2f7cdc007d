"""Retrieval engines behind one interface: `rank(documents, topics) -> Run`."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
