from clirbench.metrics.bad_segments import BS as BS
from clirbench.metrics.bad_segments import TotalBS as TotalBS
from clirbench.metrics.base import Metric as Metric
from clirbench.metrics.baselines import CopyRate as CopyRate
from clirbench.metrics.baselines import LengthRatio as LengthRatio
from clirbench.metrics.baselines import RandomMetric
from clirbench.metrics.baselines import TypeCount as TypeCount
from clirbench.metrics.bleu import BLEU as BLEU
from clirbench.metrics.by_nltk import METEOR as METEOR
from clirbench.metrics.by_nltk import RIBES as RIBES
from clirbench.metrics.chrf import ChrF as ChrF
from clirbench.metrics.command import CommandMetric
from clirbench.metrics.error_rates import CDER as CDER
from clirbench.metrics.error_rates import PER as PER
from clirbench.metrics.error_rates import WER as WER
from clirbench.metrics.macrof import MacroF as MacroF
from clirbench.metrics.macrof import MacroPrecision as MacroPrecision
from clirbench.metrics.macrof import MacroRecall as MacroRecall
from clirbench.metrics.macrof import MicroF as MicroF
from clirbench.metrics.nist import NIST as NIST
from clirbench.metrics.query_aware import TermF as TermF
from clirbench.metrics.score_files import ScoreFile as ScoreFile
from clirbench.metrics.segments import SegmentMean as SegmentMean
from clirbench.metrics.sentence_bleu import BLEUPlus1 as BLEUPlus1
from clirbench.metrics.sentence_bleu import SentBLEU as SentBLEU
from clirbench.metrics.ter import TER as TER

Random = RandomMetric
Command = CommandMetric
