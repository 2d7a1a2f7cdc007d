"""MT metrics from additive segment statistics; one file for each family."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
