"""Search engines of others: Lucene, pyserini, bm25s, rank-bm25; RM3; analysers of other languages."""
