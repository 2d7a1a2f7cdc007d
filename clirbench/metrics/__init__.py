"""MT metrics from additive segment statistics; one file for each family."""
