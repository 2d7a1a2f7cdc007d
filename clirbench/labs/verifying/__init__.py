"""Does a finished run follow from its texts? `clirbench verify`: everything is computed again and compared."""
