"""Topics from files, and topics made from the English side."""
