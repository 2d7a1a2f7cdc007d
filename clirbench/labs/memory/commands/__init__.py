"""Commands of the laboratory memory."""
