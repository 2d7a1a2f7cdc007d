"""Commands of the laboratory watching."""
