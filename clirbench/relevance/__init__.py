"""Who says what is relevant: pseudo-relevance from the English side, or human judgments."""
