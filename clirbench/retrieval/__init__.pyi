from clirbench.labs.models.dense import Dense as Dense
from clirbench.labs.models.dense import ProgramEncoder as ProgramEncoder
from clirbench.labs.models.fusion import Fusion as Fusion
from clirbench.labs.search.languages import Language as Language
from clirbench.labs.search.libraries import BM25S as BM25S
from clirbench.labs.search.libraries import RM3 as RM3
from clirbench.labs.search.libraries import RankBM25 as RankBM25
from clirbench.labs.search.lucene import Lucene as Lucene
from clirbench.labs.search.lucene import PyseriniIndex
from clirbench.retrieval.analyzers import ByLanguage as ByLanguage
from clirbench.retrieval.analyzers import Character as Character
from clirbench.retrieval.analyzers import English as English
from clirbench.retrieval.analyzers import Whitespace as Whitespace
from clirbench.retrieval.base import Retriever as Retriever
from clirbench.retrieval.bm25 import BM25 as BM25

pyserini = PyseriniIndex
