"""Statistics across systems: coefficients, intervals, differences, choice."""
