"""Many collections, pooled, as DataFrames and as a page."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.comparing import folder_of
from clirbench.api.outcome import Outcome
from clirbench.labs.collections.findings import sentences
from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.pooling import pool as pool_folders
from clirbench.labs.collections.statistics.pooling import Point, Pooled
from clirbench.labs.collections.view import write

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class PooledOutcome:
    """What several collections say together, as `clirbench pool` finds it.

    >>> import clirbench as cb
    >>> pooled = cb.pool([cb.run("europarl_csen_published"), cb.run("europarl_deen_published")])
    >>> sorted(set(pooled.collections.collection))
    ['europarl_csen_published', 'europarl_deen_published']
    >>> pooled.answer.partition(":")[0]
    'MAP (as imported), over 2 collections (32 systems)'
    >>> sorted(path.name for path in pooled.save("pooled").glob("*.tsv"))
    ['choosing.tsv', 'pooled.tsv', 'pooled_collections.tsv', 'transport.tsv']
    """

    found: Pooling

    @property
    def answer(self) -> str:
        """The sentences, a paragraph for each judge, measure and retriever: they are never averaged."""
        strata = (" ".join(filter(None, sentences(self.found, stratum))) for stratum in self.found.strata)
        return "\n".join((*self.found.merged, *strata))

    @property
    def table(self) -> "pd.DataFrame":
        """pooled.tsv: a row for each metric, and for each pair of metrics, of each stratum."""
        return _frame(Pooled, self.found.rows)

    @property
    def collections(self) -> "pd.DataFrame":
        """pooled_collections.tsv: what each collection says."""
        return _frame(Point, self.found.points)

    def save(self, folder: "str | Path") -> Path:
        """Write pooled.tsv, pooled.md, pooled.html and the forest plots."""
        write(Path(folder), self.found)
        return Path(folder)

    def __repr__(self) -> str:
        return f"<clirbench pooled: {self.answer}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.answer)}</p>\n{self.table.to_html(index=False, max_rows=30)}"


def pool(
    runs: "Sequence[Outcome | str | Path]", groups: Sequence[str] = (), seed: int = 0, apart: Sequence[str] = ()
) -> PooledOutcome:
    """Pool runs, or folders of runs, over different collections, as `clirbench pool` does.

    `groups`: what collections may share, such as `pair`; those with an equal value are kept together. `apart`: runs,
    by name, that count by themselves though they share texts with others.
    Raises `InputError` for the same collection twice, or runs without a common metric or measure.

    >>> import clirbench as cb
    >>> pooled = cb.pool([cb.run("europarl_csen_published"), cb.run("europarl_deen_published")])
    >>> set(pooled.table.metric) >= {"BLEU", "MacroF1"}
    True
    """
    given: Any = runs
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    with tempfile.TemporaryDirectory(prefix="clirbench-") as name:
        folders = [folder_of(run, Path(name) / str(number)) for number, run in enumerate(several)]
        return PooledOutcome(pool_folders(folders, groups, seed=seed, apart=apart))


def _frame(kind: type, rows: "Sequence[object]") -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame([astuple(row) for row in rows], columns=[field.name for field in fields(kind)])  # type: ignore[call-overload]
