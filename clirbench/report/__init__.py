"""What a run shows and writes: tables, figures, Markdown."""
