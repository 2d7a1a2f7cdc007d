"""Search engines of others: Lucene, bm25s, rank-bm25; analysers of other languages."""
