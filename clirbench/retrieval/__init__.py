"""Retrieval engines behind one interface: `rank(documents, topics) -> Run`."""
