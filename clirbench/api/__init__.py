"""What `import clirbench as cb` gives: runs, their results, scores and measures as Python objects."""
