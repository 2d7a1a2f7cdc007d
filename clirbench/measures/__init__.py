"""IR measures: rank-biased overlap and everything ir-measures can parse."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
