"""What a run is made from: read, aligned, and checked for all that would fail later."""
