from clirbench.retrieval.analyzers.english import English as English
from clirbench.retrieval.analyzers.languages import Language as Language
from clirbench.retrieval.analyzers.plain import Character as Character
from clirbench.retrieval.analyzers.plain import Whitespace as Whitespace
from clirbench.retrieval.base import Retriever as Retriever
from clirbench.retrieval.bm25 import BM25 as BM25
from clirbench.retrieval.bm25s import BM25S as BM25S
from clirbench.retrieval.dense import Dense as Dense
from clirbench.retrieval.dense_openai import OpenAIEncoder as OpenAIEncoder
from clirbench.retrieval.dense_static import Static as Static
from clirbench.retrieval.dense_transformers import Transformers as Transformers
from clirbench.retrieval.fusion import Fusion as Fusion
from clirbench.retrieval.lucene import Lucene as Lucene
from clirbench.retrieval.pyserini_index import PyseriniIndex
from clirbench.retrieval.rank_bm25 import RankBM25 as RankBM25
from clirbench.retrieval.rm3 import RM3 as RM3

pyserini = PyseriniIndex
