"""Files of others and of ours: tables, TREC runs and judgments, score tables."""
