from clirbench import corpora as corpora
from clirbench import measures as measures
from clirbench import metrics as metrics
from clirbench import relevance as relevance
from clirbench import retrieval as retrieval
from clirbench import systems as systems
from clirbench import topics as topics
from clirbench.api.outcome import Outcome as Outcome
from clirbench.api.outcome import RunWarning as RunWarning
from clirbench.api.outcome import compare as compare
from clirbench.api.running import correlate as correlate
from clirbench.api.running import events as events
from clirbench.api.running import load as load
from clirbench.api.running import run as run
from clirbench.api.scoring import evaluate as evaluate
from clirbench.api.scoring import score as score
from clirbench.errors import ClirbenchError as ClirbenchError
from clirbench.labs.collections.memory import ask as ask
from clirbench.labs.collections.outcome import PooledOutcome as PooledOutcome
from clirbench.labs.collections.outcome import pool as pool
from clirbench.report.compared import Comparison as Comparison

__version__: str
