"""What a further analysis is: tables made from a finished result, `analysis=[correlation,differences,...]`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clirbench.result import Result


@dataclass(frozen=True)
class AnalysisTable:
    """One table of a report: `name` is its file (`differences` -> differences.tsv), `text` what the numbers say.

    `rows` hold strings, ints and floats (NaN: undefined); `text` are sentences for report.md, computed from the
    numbers: sampling, n, seed, and what a reader may and may not conclude. `figure` draws what belongs to it.
    A report shows the first `shown` rows, the terminal the first `said`. `failures`: what makes the run fail after
    everything was written, such as a cell of a published table that is neither reproduced nor explained.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    text: tuple[str, ...] = ()
    figure: "Callable[[], Figure] | None" = None
    shown: int = 60
    said: int = 0
    failures: tuple[str, ...] = ()


@runtime_checkable
class Analysis(Protocol):
    """A further analysis; a frozen dataclass whose fields are its configuration (conf/analyses/NAME.yaml)."""

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The tables; raises `ConfigError` where the run lacks what the analysis needs, before any long work."""
