from clirbench.labs.papers.relevance import Jenks as Jenks
from clirbench.labs.papers.relevance import Percentile as Percentile
from clirbench.labs.papers.relevance import QueryInDocument as QueryInDocument
from clirbench.labs.search.pyserini import PyseriniQrels
from clirbench.relevance.base import Relevance as Relevance
from clirbench.relevance.qrels import QrelsFile
from clirbench.relevance.shares import ScoreShare as ScoreShare
from clirbench.relevance.shares import TopShare as TopShare
from clirbench.relevance.top_k import TopK as TopK

Qrels = QrelsFile
pyserini = PyseriniQrels
