"""Who says what is relevant: pseudo-relevance from the English side, or human judgments."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
