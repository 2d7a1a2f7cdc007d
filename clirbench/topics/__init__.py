"""Topics from files, and topics made from the English side."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
