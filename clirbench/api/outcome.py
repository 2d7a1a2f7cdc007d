"""What a run found, as a notebook has it: the same whether it was run now or is loaded from its folder.

DataFrames of other libraries (polars, pyarrow, duckdb, ...) as those of pandas.

What differs between two runs, as a DataFrame and as a page.
"""

import copyreg
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from clirbench.checks import require
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, escape_unseen, raise_all
from clirbench.files.run_files import PROVENANCE, RESULTS
from clirbench.later import Shelf
from clirbench.pages import with_words, write_tsv
from clirbench.report.compared import Comparison, RunFiles, compare as compare_files, read_run
from clirbench.report.drawing import COLOURS
from clirbench.report.facts import by_pair, coefficient_symbol, interval, tau_cell
from clirbench.report.figures import axis_label
from clirbench.report.folder import as_json
from clirbench.report.groupings import grouping
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import Correlation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MARKERS = "osD^"
SHORT = (
    "measure", "metric", "coefficient", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "significant",
    "n_systems", "grade", "note",
)  # fmt: skip
"""Columns of `Outcome.correlations`."""
MOST = 5
"""Warnings that the text of an outcome shows."""
DESCRIBED = ("name", "role", "origin", "higher_is_better", "table", "signature")
"""What results.json says of each column."""


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


# Results have such mappings in many places, and an outcome goes through pools of processes and into caches.
copyreg.pickle(MappingProxyType, lambda proxy: (_read_only, (dict(proxy),)))


class RunWarning(UserWarning):
    """A warning of a run (`Outcome.warnings`), as Python shows it.

    >>> import warnings
    >>> import clirbench as cb
    >>> warnings.simplefilter("ignore", cb.RunWarning)
    """


class UnknownTable(UnknownName, KeyError):
    """A table that the run does not have; a `KeyError` too, which `tables.get` waits for."""

    __str__ = Exception.__str__


class Tables(Shelf[str, "pd.DataFrame"]):
    """The tables of a run by name, each loaded once; raises `UnknownTable`."""

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self:
            raise UnknownTable("table of this run", str(name), self)
        return super().__getitem__(name)

    def __repr__(self) -> str:
        return f"<tables {', '.join(self)}>"


def checked_path(folder: object) -> Path:
    """The path of a run's folder; raises `ConfigError` for what is none."""
    if not isinstance(folder, str | Path):
        raise ConfigError(f"the folder of a run was expected (text or a Path), not {folder!r:.60}")
    return Path(folder)


def _require(table: str, rows: "pd.DataFrame", columns: Iterable[str]) -> None:
    """Raise `UnknownName` for a column that a table does not have."""
    there = [*map(str, rows.columns)]
    raise_all([UnknownName(f"column of {table}.tsv", name, there) for name in columns if name not in there])


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The result of a run: its answer, its tables, its figures, its folder.

    `tables[name]` is NAME.tsv of the run's folder as a DataFrame: the same rows and columns, numbers to the last bit.
    `results` is results.json, `provenance` is provenance.json. Both kinds of outcome, of `run` and of `load`, are
    made of the same tables.

        >>> import clirbench as cb
        >>> r = cb.run("europarl_csen_published")
        >>> list(r.tables)
        ['systems', 'correlations']
    """

    results: Mapping[str, Any]
    provenance: Mapping[str, Any]
    tables: "Mapping[str, pd.DataFrame]"
    written: Callable[[Path], None]
    """Writes the run's folder."""

    @property
    def answer(self) -> str:
        """The answer: sentences made from the `findings`.

        >>> import clirbench as cb
        >>> cb.run("europarl_csen_published").answer[:45]
        'BLEU orders 98 % of system pairs as MAP does '
        """
        return str(self.results["answer"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What the answer is made from: a `kind`, and values out of the run's tables.

        >>> import clirbench as cb
        >>> cb.run("europarl_csen_published").findings[0].get("grade")
        'strong'
        """
        return [dict(found) for found in self.results.get("findings", ())]

    @property
    def objective(self) -> float | None:
        """The number that `objective` asks for, as a sweeper gets it; None where it is unknown or not asked for.

        >>> import clirbench as cb
        >>> r = cb.run("europarl_csen_published", objective="MAP")
        >>> bool(r.objective == r.systems.MAP.max())
        True
        """
        return cast("float | None", self.results.get("objective"))

    @property
    def warnings(self) -> list[str]:
        """What to know before relying on the tables: what was left out and why, holes, remarks; the report's words.

        `cb.run` and `cb.correlate` also raise each as a `cb.RunWarning`.

        >>> import clirbench as cb
        >>> cb.run("europarl_csen_published").warnings
        []
        """
        return [str(line) for line in self.results.get("warnings", ())]

    @property
    def correlations(self) -> "pd.DataFrame":
        """What most readers want of correlations.tsv: a row for each measure, metric and coefficient, columns `SHORT`.

        All columns (bounds, grades, the ceiling, ...) are in `tables["correlations"]`.

        >>> import clirbench as cb
        >>> taus = cb.run("europarl_csen_published").correlations
        >>> float(taus.query("measure == 'MAP' and metric == 'BLEU' and coefficient == 'kendall'").value.iloc[0])
        0.95
        """
        table = self.tables["correlations"]
        return table[[name for name in SHORT if name in table.columns]]

    @property
    def systems(self) -> "pd.DataFrame":
        """systems.tsv: one row for each system, which is the index; metadata, metrics and measures.

        >>> import clirbench as cb
        >>> cb.run("europarl_csen_published").systems.shape
        (16, 15)
        """
        _require("systems", self.tables["systems"], ["system"])
        return self.tables["systems"].set_index("system")

    @property
    def per_topic(self) -> "pd.DataFrame":
        """per_topic.tsv: system, topic_id, measure, value; raises `UnknownName` where nothing was retrieved.

        >>> import clirbench as cb
        >>> cb.run("demo", measures=["MAP"], metric=["BLEU"]).per_topic.columns.tolist()
        ['system', 'topic_id', 'measure', 'value']
        """
        return self.tables["per_topic"]

    @property
    def decision(self) -> "pd.DataFrame":
        """decision.tsv: which system to choose; raises `UnknownName` where there is none, which `answer` explains.

        >>> import clirbench as cb
        >>> cb.run("demo", measures=["MAP"], metric=["BLEU"]).decision.system[0]
        'grammar-1'
        """
        return self.tables["decision"]

    def plot(self, measure: str, metric: str, ax: "Axes | None" = None) -> "Axes":
        """Systems by metric and measure, those that belong together in one colour; headed by their coefficient.

        `ax`: where to draw; default, a new figure. The measure is drawn upwards, whichever of the two is named first.
        Raises `UnknownName` for a column that the run does not have, `ResourceError` without the extra `plot`.

            >>> import clirbench as cb
            >>> cb.run("europarl_csen_published").plot("MAP", "BLEU").get_xlabel()
            'BLEU'
        """
        require("plot", "plot", "matplotlib")
        from matplotlib import pyplot

        board = self._board()
        names = [column.name for column in board.columns]
        raise_all([UnknownName("column", str(name), names) for name in (measure, metric) if name not in names])
        if (board[measure].role, board[metric].role) == ("metric", "measure"):
            measure, metric = metric, measure
        across, along, groups = board[metric], board[measure], grouping(board)
        ax = pyplot.subplots(layout="constrained")[1] if ax is None else ax
        for place, name in enumerate(groups.names):
            rows = [row for row, group in enumerate(groups.group_of) if group == place]
            colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
            ax.scatter(across.values[rows], along.values[rows], label=name, color=colour, marker=marker)
        if len(groups.names) > 1:
            ax.legend(title=groups.column, fontsize="small")
        ax.set(xlabel=axis_label(across), ylabel=axis_label(along))
        if row := self._taus().get((measure, metric)):
            ax.set_title(f"{coefficient_symbol(row.coefficient)} {tau_cell(row)}{interval(row)}")
        return ax

    def save(self, folder: "str | Path") -> Path:
        """Write the run's folder as the command line writes it, and return its path.

        An earlier run there is kept in `previous-N`. Raises `StoreError` for a folder that holds what is not ours.

        >>> import clirbench as cb
        >>> folder = cb.run("europarl_csen_published").save("saved")
        >>> (folder / "correlations.tsv").is_file(), (folder / "report.html").is_file()
        (True, True)
        """
        path = checked_path(folder)
        self.written(path)
        return path

    def _board(self) -> Scoreboard:
        """The scoreboard, from systems.tsv and what results.json says of its columns."""
        systems = self.systems.drop(index=[*self.results["inputs"].get("baselines", ())])
        described = {entry["name"]: entry for entry in self.results["columns"]}
        _require("systems", systems, described)
        columns = tuple(
            Column(values=systems[name].to_numpy(dtype=np.float64), **{key: entry[key] for key in DESCRIBED})
            for name, entry in described.items()
        )
        metadata = {str(name): tuple(map(str, systems[name])) for name in systems.columns if name not in described}
        return Scoreboard(tuple(systems.index), columns, metadata)

    def _taus(self) -> dict[tuple[str, str], Correlation]:
        if "correlations" not in self.tables:
            return {}
        known = fields(Correlation)
        long = self.tables["correlations"]
        _require("correlations", long, [field.name for field in known if field.default is MISSING])
        table = with_words(long.filter([field.name for field in known]))
        rows = (Correlation(**{str(name): cell for name, cell in row.items()}) for row in table.to_dict("records"))
        return by_pair(rows, next(iter(self.results["coefficients"]), ""))

    def __repr__(self) -> str:
        notes = "".join(f"\nwarning: {line}" for line in self.warnings[:MOST])
        more = f"\n{len(self.warnings) - MOST} more in r.warnings" if len(self.warnings) > MOST else ""
        return escape_unseen(f"<clirbench {self.results['name']}: {self.answer}>{notes}{more}")

    def _repr_html_(self) -> str:
        """The answer, the tau tables and the warnings, as a notebook shows them."""
        from html import escape

        import pandas as pd

        shown, taus = [f"<p>{escape(self.answer)}</p>"], self._taus()
        if taus:
            rows = [(row.measure, row.metric, tau_cell(row)) for row in taus.values()]
            cells = pd.DataFrame(rows, columns=["measure", "metric", "tau"])
            order = [list(dict.fromkeys(names)) for names in zip(*taus, strict=True)]
            table = cells.pivot(index="measure", columns="metric", values="tau").loc[order[0], order[1]]
            untested = "; ?: not tested" if cells["tau"].str.endswith("?").any() else ""
            said = f"{self.results['units']['said']}; x: not significantly above 0, corrected for all metrics{untested}"
            shown += [table.rename_axis(index=None, columns=None).to_html(na_rep=""), f"<p>{escape(said)}</p>"]
        shown += [f"<p>warning: {escape(escape_unseen(line))}</p>" for line in self.warnings]
        return "\n".join(shown)


Called = TypeVar("Called", bound=Callable[..., Any])


def in_python(example: str) -> Callable[[Called], Called]:
    """A function whose errors speak Python; with arguments that it does not take they have an example of a call."""

    def around(function: Called) -> Called:
        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            from clirbench.configuration import advice

            try:
                return function(*given, **named)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise
                raise ConfigError(f"{error}; a call is {example}") from None
            except ClirbenchError as error:
                for one in getattr(error, "errors", (error,)):
                    one.args = tuple(advice.in_python(str(text)) for text in one.args)
                raise error.with_traceback(None) from error.__cause__  # no frame of ours helps who is to mend a call

        return cast(Called, called)

    return around


def pandas_frame(given: object) -> "pd.DataFrame | None":
    """A frame of any library that narwhals reads, as a DataFrame of pandas; None for what is no frame.

    A DataFrame of pandas is itself; of another library, a missing cell is None or NaN, and rows are numbered from 0.
    A frame that is computed when it is needed (polars' LazyFrame) is computed. Raises `InputError` for two columns of
    one name.
    """
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return given
    import narwhals.stable.v2 as narwhals

    try:
        read = narwhals.from_native(given)  # type: ignore[call-overload]
        computed = read.collect() if isinstance(read, narwhals.LazyFrame) else read
        return pd.DataFrame(computed.to_dict(as_series=False))
    except narwhals.exceptions.DuplicateError as error:
        raise InputError(f"the DataFrame: {' '.join(str(error).split())}; rename one of them") from None
    except TypeError:  # a table that has its own way, such as a Dataset of Hugging Face
        return given.to_pandas() if hasattr(given, "to_pandas") else None


@in_python("cb.compare('RUN1', 'RUN2')")
def compare(a: "Outcome | str | Path", b: "Outcome | str | Path") -> Comparison:
    """Compare two runs, or folders of runs, as `clirbench compare` does.

    >>> import clirbench as cb
    >>> r = cb.run("europarl_csen_published")
    >>> cb.compare(r, r).verdict
    'All 334 numbers that both runs have are equal.'
    """
    return compare_files(_files(a), _files(b))


def _files(run: "Outcome | str | Path") -> RunFiles:
    with tempfile.TemporaryDirectory(prefix="clirbench-") as name:
        return read_run(folder_of(run, Path(name)))


def folder_of(run: "Outcome | str | Path", place: Path) -> Path:
    """The folder of a run; an outcome writes what is read of one to `place`, without pages and pictures."""
    if not isinstance(run, Outcome):
        return checked_path(run)
    place.mkdir(exist_ok=True)
    for table in ("systems", "correlations", "per_topic"):
        if table in run.tables:
            write_tsv(place / f"{table}.tsv", list(run.tables[table].columns), _rows(run.tables[table]))
    for file, values in ((PROVENANCE, run.provenance), (RESULTS, run.results)):
        (place / file).write_text(as_json(values), encoding="utf-8")
    return place


def _rows(table: "pd.DataFrame") -> Iterator[list[Any]]:
    return map(list, with_words(table).itertuples(index=False))
