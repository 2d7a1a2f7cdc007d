"""What stands behind `clirbench NAME`: one module for each command."""
