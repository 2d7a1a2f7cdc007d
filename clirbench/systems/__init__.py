"""MT systems: translations that exist, checkpoints, simulated errors, translators that are run."""
