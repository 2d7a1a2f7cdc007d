"""IR measures: rank-biased overlap, the AQWV family, and everything ir-measures can parse."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
