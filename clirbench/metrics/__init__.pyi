from clirbench.labs.models.metric import ProgramMetric
from clirbench.labs.papers.error_rates import TER as TER, WER as WER
from clirbench.labs.papers.word_metrics import (
    BLEUPlus1 as BLEUPlus1,
    LengthRatio as LengthRatio,
    RandomMetric,
    SentBLEU as SentBLEU,
    TypeCount as TypeCount,
)
from clirbench.metrics.base import Metric as Metric
from clirbench.metrics.bleu import BLEU as BLEU
from clirbench.metrics.chrf import ChrF as ChrF
from clirbench.metrics.macrof import MacroF as MacroF, MicroF as MicroF
from clirbench.metrics.score_files import ScoreFile as ScoreFile
from clirbench.metrics.segments import SegmentMean as SegmentMean

Random = RandomMetric
Command = ProgramMetric
