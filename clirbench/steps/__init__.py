"""The pure steps of the line, one a module: what a step imports is what its results are keyed on."""
