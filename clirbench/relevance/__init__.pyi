from clirbench.labs.papers.relevance import Jenks as Jenks, Percentile as Percentile, QueryInDocument as QueryInDocument
from clirbench.relevance.base import Relevance as Relevance
from clirbench.relevance.qrels import QrelsFile
from clirbench.relevance.top_k import ScoreShare as ScoreShare, TopK as TopK, TopShare as TopShare

Qrels = QrelsFile
