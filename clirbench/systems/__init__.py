"""MT systems: translations that exist, and checkpoints; laboratories add systems that are run or simulated."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
