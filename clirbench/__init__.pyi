from clirbench import (
    corpora as corpora,
    measures as measures,
    metrics as metrics,
    relevance as relevance,
    retrieval as retrieval,
    systems as systems,
    topics as topics,
)
from clirbench.api.outcome import Outcome as Outcome, RunWarning as RunWarning, compare as compare
from clirbench.api.running import correlate as correlate, events as events, load as load, run as run
from clirbench.api.scoring import evaluate as evaluate, score as score
from clirbench.errors import ClirbenchError as ClirbenchError
from clirbench.labs.collections.memory import ask as ask
from clirbench.labs.collections.outcome import PooledOutcome as PooledOutcome, pool as pool
from clirbench.report.compared import Comparison as Comparison

__version__: str
