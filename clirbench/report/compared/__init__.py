"""Two runs held against each other: what differs, whether the answer does, and how that is shown."""
