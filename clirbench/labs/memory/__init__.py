"""What many collections said, kept for those who ask before they search."""
