"""Many collections, pooled, as DataFrames and as a page."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.comparing import folder_of
from clirbench.api.outcome import Outcome
from clirbench.labs.collections import view
from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.pooling import pool as pool_folders

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class PooledOutcome:
    """What several collections say together, as `clirbench pool` finds it.

    >>> import clirbench as cb
    >>> pooled = cb.pool([cb.run("europarl_csen_published"), cb.run("europarl_deen_published")])
    >>> sorted(set(pooled.collections.collection))
    ['europarl_csen_published', 'europarl_deen_published']
    >>> pooled.overview.measure[0], pooled.overview.metric[0]
    ('MAP', 'MacroF1')
    >>> sorted(path.name for path in pooled.save("pooled").glob("*.tsv"))
    ['pooled.tsv', 'pooled_collections.tsv']
    """

    found: Pooling

    @property
    def overview(self) -> "pd.DataFrame":
        """A row for each judge, measure and retriever, which are never averaged: the best metric and its interval."""
        return view.overview(self.found.strata).load()

    @property
    def table(self) -> "pd.DataFrame":
        """pooled.tsv: a row for each metric, and for each pair of metrics, of each stratum."""
        return view.table_of("pooled", "", self.found.rows, view.POOLED).load()

    @property
    def collections(self) -> "pd.DataFrame":
        """pooled_collections.tsv: what each collection says."""
        return view.table_of("pooled_collections", "", self.found.points, view.POINTS).load()

    def save(self, folder: "str | Path") -> Path:
        """Write the tables, pooled.md, pooled.html and the forest plots."""
        view.write(Path(folder), self.found)
        return Path(folder)

    def __repr__(self) -> str:
        return f"<clirbench pooled: {', '.join(self.found.collections)}>"

    def _repr_html_(self) -> str:
        return str(self.overview.to_html(index=False))


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
