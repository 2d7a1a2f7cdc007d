"""Programs that come with clirbench: each reads its settings from the last argument, then lines, and writes lines.

With `--about` before the settings a script writes what it is, and fails where something is missing.
"""
