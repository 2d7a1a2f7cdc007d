from clirbench.labs.models.dense import Dense as Dense
from clirbench.labs.models.dense import ProgramEncoder as ProgramEncoder
from clirbench.labs.models.fusion import Fusion as Fusion
from clirbench.labs.search.languages import Language as Language
from clirbench.labs.search.libraries import BM25S as BM25S
from clirbench.labs.search.libraries import RankBM25 as RankBM25
from clirbench.labs.search.lucene import Lucene as Lucene
from clirbench.labs.search.pyserini import PyseriniIndex
from clirbench.labs.search.rm3 import RM3 as RM3
from clirbench.retrieval.analyzers.english import ByLanguage as ByLanguage
from clirbench.retrieval.analyzers.english import English as English
from clirbench.retrieval.analyzers.plain import Character as Character
from clirbench.retrieval.analyzers.plain import Whitespace as Whitespace
from clirbench.retrieval.base import Retriever as Retriever
from clirbench.retrieval.bm25 import BM25 as BM25

pyserini = PyseriniIndex
