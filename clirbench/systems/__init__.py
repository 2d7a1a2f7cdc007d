"""MT systems: translations that exist, checkpoints, simulated errors, translators that are run."""

import sys

__getattr__, __dir__ = sys.modules["clirbench"].names(__name__)
