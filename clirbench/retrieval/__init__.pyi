from clirbench.retrieval.analyzers.english import English as English
from clirbench.retrieval.analyzers.languages import Language as Language
from clirbench.retrieval.analyzers.plain import Character as Character
from clirbench.retrieval.analyzers.plain import Whitespace as Whitespace
from clirbench.retrieval.base import Retriever as Retriever
from clirbench.retrieval.bm25 import BM25 as BM25
from clirbench.retrieval.bm25s import BM25S as BM25S
from clirbench.retrieval.dense import Dense as Dense
from clirbench.retrieval.fusion import Fusion as Fusion
from clirbench.retrieval.lucene import Lucene as Lucene
from clirbench.retrieval.pyserini_index import PyseriniIndex
from clirbench.retrieval.rank_bm25 import RankBM25 as RankBM25

pyserini = PyseriniIndex
