"""The training grid: from parallel text to the checkpoints that are compared."""
