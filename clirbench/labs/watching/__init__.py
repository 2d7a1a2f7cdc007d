"""Checkpoints while training still runs: `clirbench watch`, the stop rule."""
