"""Several collections together: pooled correlations, the study."""
