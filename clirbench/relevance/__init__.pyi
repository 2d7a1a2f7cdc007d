from clirbench.labs.papers.relevance import Jenks as Jenks
from clirbench.labs.papers.relevance import Percentile as Percentile
from clirbench.labs.papers.relevance import QueryInDocument as QueryInDocument
from clirbench.relevance.base import Relevance as Relevance
from clirbench.relevance.qrels import QrelsFile
from clirbench.relevance.top_k import ScoreShare as ScoreShare
from clirbench.relevance.top_k import TopK as TopK
from clirbench.relevance.top_k import TopShare as TopShare

Qrels = QrelsFile
