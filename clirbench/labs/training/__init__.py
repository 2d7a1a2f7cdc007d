"""MT systems are trained from parallel text: grids of sizes, vocabularies and seeds."""
