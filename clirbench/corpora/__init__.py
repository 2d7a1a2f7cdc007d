"""Readers of corpora: test sets, collections and their document boundaries."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
