"""Where steps are run: this process, worker processes, clusters."""
