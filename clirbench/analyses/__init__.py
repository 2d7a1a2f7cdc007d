"""What `analysis=[NAME]` adds to a run: one module for each name, with its configuration, sentences and figure."""
