from clirbench.labs.models.dense import Dense as Dense, ProgramEncoder as ProgramEncoder
from clirbench.labs.search.languages import Language as Language
from clirbench.labs.search.libraries import BM25S as BM25S, RankBM25 as RankBM25
from clirbench.labs.search.lucene import Lucene as Lucene
from clirbench.retrieval.analyzers import (
    ByLanguage as ByLanguage,
    Character as Character,
    English as English,
    Whitespace as Whitespace,
)
from clirbench.retrieval.base import Retriever as Retriever
from clirbench.retrieval.bm25 import BM25 as BM25
