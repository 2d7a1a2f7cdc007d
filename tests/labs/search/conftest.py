"""The oracle and the topics of the tests of retrieval serve here too."""

from tests.retrieval.conftest import lucene_terms, trec_topics

__all__ = ["lucene_terms", "trec_topics"]
