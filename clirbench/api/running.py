"""Runs from Python: an experiment by its name, components, a DataFrame, or the folder of a finished run.

The stream of events of a run, which its journal keeps while bars show it.
"""

import json
import os
import re
import shutil
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from io import TextIOWrapper
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clirbench import __version__
from clirbench.api.outcome import Outcome, RunWarning, Tables, checked_path, in_python, pandas_frame
from clirbench.api.texts import held_corpus
from clirbench.engines.base import leave_clusters
from clirbench.errors import (
    ClirbenchError,
    ConfigError,
    InputError,
    StoreError,
    closest,
    escape_unseen,
    interrupted,
    raise_all,
    shorten,
)
from clirbench.experiment import run as work, with_store
from clirbench.files import run_files
from clirbench.pages import frame, write_tsv
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import warnings as notes
from clirbench.report.folder import RunFolder, results
from clirbench.report.html.page import plain
from clirbench.report.provenance import COMMAND, IN_PYTHON, provenance
from clirbench.report.tables import copy_run, run_tables, texts_of
from clirbench.report.terminal import checked, progress
from clirbench.result import Experiment, Result, Watch, no_watch
from clirbench.statistics.correlation import Correlation
from clirbench.store.cached import PLAN
from clirbench.text import open_binary, set_limits

if TYPE_CHECKING:
    import pandas as pd

Value = TypeVar("Value")


@dataclass(frozen=True)
class Events:
    """The events of one run. As a `Watch` it tells when a step begins and ends; `shown` shows the values between."""

    tell: Callable[..., None]
    shown: Watch = no_watch

    def __call__(self, title: str, values: Iterable[Value], total: int) -> Iterator[Value]:
        self.tell("begun", step=title, items=total)
        begun = time.perf_counter()
        yield from self.shown(title, values, total)
        self.tell("done", step=title, items=total, seconds=_since(begun))

    def found(self, result: Result) -> None:
        """What the run found: its warnings, the systems that failed, and the answer."""
        for line in notes(result):
            self.tell("warning", text=line)
        for system in result.failed:
            self.tell("failed", system=system)
        if result.correlations:
            answer = answered(result)
            self.tell("answer", text=str(answer), measure=answer.measure, decision=" ".join(decision_sentences(result)))


@contextmanager
def recorded(folder: Path, command: Sequence[str]) -> Iterator[Events]:
    """The events of a run in this folder, from its start to its end, however it ends; a rerun goes on in the same file.

    Raises `StoreError` where they cannot be written.
    """
    journal = run_files.Journal(folder / run_files.EVENTS)
    journal.mend()
    journal.add("start", clirbench=__version__, command=list(command), process=os.getpid())
    begun = time.perf_counter()
    try:
        yield Events(journal.add)
    except BaseException as error:
        outcome = "stopped" if interrupted(error) else "error"
        with suppress(StoreError):  # what ended the run may be a full disk
            reason = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 500)
            journal.add("end", outcome=outcome, seconds=_since(begun), reason=reason)
        raise
    journal.add("end", outcome="done", seconds=_since(begun))


@contextmanager
def running(experiment: Experiment, cache: Path, folder: Path, command: Sequence[str]) -> Iterator[Result]:
    """What an experiment finds, with its plan and its events in this folder; within the block results can be kept."""
    try:
        with recorded(folder, command) as events, with_store(experiment, cache, folder / PLAN, events.tell) as ready:
            with progress() as bars:
                result = work(ready, replace(events, shown=bars))
            events.found(result)
            yield result
    finally:
        leave_clusters()


def _since(begun: float) -> float:
    return round(time.perf_counter() - begun, 3)


def events(folder: str | Path) -> list[dict[str, Any]]:
    """What happened so far in a run, or in a watch, by its folder: `event`, `at` and the fields of its kind.

    Raises `InputError` where there are none.

        >>> import clirbench as cb
        >>> folder = cb.run("europarl_csen_published").save("published")
        >>> [event["step"] for event in cb.events(folder) if event["event"] == "done"]
        ['intervals', 'analyses']
    """
    path = run_files.path_inside(checked_path(folder), run_files.EVENTS)
    if not path.is_file():
        raise InputError(f"{folder}: has no {run_files.EVENTS}, so it is not the folder of a run or of a watch")
    return list(run_files.Journal(path))


DATAFRAME = "a DataFrame in Python"
"""What provenance names in the place of a file that is gone as soon as it is read."""
WORD = re.compile(r"[A-Za-z_][\w.@+/-]*", re.ASCII)
_NOT_GIVEN: Any = ...
"""In the place of a name: the demo, which None does not start, as of a variable that was not set."""
SPECIAL = re.compile(r"[\\()\[\]{}:=, \t]")
BEFORE_QUOTE = re.compile(r'(\\*)("|\Z)')


@in_python("cb.run('DIR', metric=['BLEU']), of one folder or experiment, or cb.run(texts={...}, references=[...])")
def run(
    experiment: str | Path = _NOT_GIVEN,
    /,
    *,
    texts: Any = None,
    references: Any = None,
    source: Any = None,
    documents: Any = None,
    **settings: Any,
) -> Outcome:
    """Run an experiment, as the command line does, and return what it found; nothing is printed or written.

    What to know before relying on it is in `warnings` of the result, and raised as `RunWarning`.

    `experiment`: its name, or a folder of MT outputs. `settings`: its overrides, `metric=["BLEU"], topics="keyterms"`;
    a dot in a key is two underscores, `topics__n=20`, or a mapping, `correlation={"alpha": 0.01}`.

    Components are objects: `corpus`, `systems`, `topics`, `retrieval`, `relevance`, `metric`, `measures`, `analyses`,
    `engine`, ... They take the places of those of a named experiment; `metric` and `measures` take names and objects
    alike. What is not given is as on the command line.

    `texts`: the lines of each system, `{"A": [line, ...], ...}`, or a frame with the columns system, segment and text;
    then `references` are lines or, if there are several, `{"A": [line, ...], ...}` (all are used, the first is
    searched); `source`: lines; `documents`: the document of each line (without it `documents__size` lines are one).
    The run finds what a run of the same texts in a folder finds.

    With `check=True` nothing is run: everything is read and aligned, and the answer is the list of it.

    Results are kept in the store of the command line (`paths__cache`), so that a second run does only what is
    missing. Raises a `ClirbenchError` for everything a user can mend.

        >>> import clirbench as cb
        >>> r = cb.run("europarl_csen_published", units="none")
        >>> r.correlations.columns[:4].tolist()
        ['measure', 'metric', 'coefficient', 'value']
        >>> r = cb.run(
        ...     corpus=cb.corpora.Demo(),
        ...     systems=cb.systems.Simulated(doses=2),
        ...     topics=cb.topics.KeyTerms(n=20),
        ...     relevance=cb.relevance.TopK(k=10),
        ...     metric=[cb.metrics.ChrF(beta=3)],
        ...     measures=["MAP"],
        ... )
        >>> r.correlations.metric.unique().tolist()
        ['chrF3']
        >>> lines = ["dogs chase cats", "cats chase mice", "mice eat cheese", "people eat cheese"]
        >>> r = cb.run(texts={"A": lines, "B": lines[::-1]}, references=lines, topics="titles", check=True)
        >>> "systems: 2: A, B" in r.answer
        True
    """
    sides = {"references": references, "source": source, "documents": documents}
    named: Any = None if experiment is _NOT_GIVEN else experiment
    if not isinstance(named, str | Path | None):
        frame = "; scores in it are cb.correlate(df, measures=['MAP'])" if pandas_frame(named) is not None else ""
        frame = "; folders are run one by one, [cb.run(one) for one in [...]]" if isinstance(named, list) else frame
        said = f"a name or a folder was expected, not {type(named).__name__}"
        raise ConfigError(f"run: {said}; lines of systems are cb.run(texts={{'A': [...]}}, references=[...]){frame}")
    if not (named or experiment is _NOT_GIVEN):
        raise ConfigError(f"run: {named!r} names no experiment and no folder; give cb.run('DIR'), or cb.run('demo')")
    path = Path(texts if isinstance(texts, str | Path) else named or "")
    frames = (name for name in ("scores", "scores__tables") if name in settings)
    if scores := [name for name in frames if pandas_frame(settings[name]) is not None]:
        said = "scores of a DataFrame are cb.correlate(df, measures=['MAP']); of a file, scores__tables=['FILE']"
        raise ConfigError(f"{scores[0]}: {said}")
    if path.is_file() or (texts is not None and path.is_dir() and path.name):
        folder = path if path.is_dir() else path.parent
        said = f"{str(path)!r} is no name of systems' lines or of a folder of MT outputs"
        raise ConfigError(f"run: {said}; type cb.run({str(folder.parent if folder.name == 'systems' else folder)!r})")
    for name, value in settings.items():
        held = next(iter(value.values()), None) if isinstance(value, Mapping) else value
        listed = held if isinstance(held, list) and len(held) > 1 else [None]
        if all(isinstance(one, str) and one.count(" ") > 3 for one in listed):
            meant = closest(name, [*sides]) or "texts"
            shape = "{'A': [line, ...], ...}" if meant == "texts" else "[line, ...]"
            raise ConfigError(f"{name}: lines are given as {meant}={shape}")
    if texts is None:
        from clirbench.configuration.advice import names_folder

        if named is not None and "folder" not in settings and names_folder(str(named)):
            named, settings["folder"] = "folder", str(named)
        return _run(named, {**{name: one for name, one in sides.items() if one is not None}, **settings})
    for name in settings:
        if "_" not in name and (meant := closest(name, [*sides], 0.8)):
            raise ConfigError(f"{name}: {meant} is meant; give {meant}=[line, ...]")
    if other := [name for name in ("corpus", "folder", "test_folder") if settings.get(name) is not None]:
        raise ConfigError(f"texts and {other[0]}: one of the two says what is read; leave out the other")
    if named not in (None, "folder"):
        raise ConfigError(f"texts: {named!r} has texts of its own; leave its name out")
    corpus = held_corpus(texts, size=settings.pop("documents__size", 1), **sides)
    return _run("folder", {"corpus": corpus, **settings})


def _run(experiment: Any, settings: dict[str, Any], written: Path | None = None) -> Outcome:
    """`run`; `written`: the file for a moment that a DataFrame was written to."""
    from clirbench.configuration.advice import OUTPUT
    from clirbench.configuration.building import as_list, build, limits_of, problem_of
    from clirbench.configuration.composing import compose_configuration, plain_configuration

    named = {name.replace("__", "."): value for name, value in settings.items()}
    if places := [name for name in named if name in (*OUTPUT, "hydra.run.dir")]:
        raise ConfigError(f"{places[0]}: nothing is written here; save(DIR) of the result writes the run's folder")
    given = {name: value for name, value in named.items() if not is_plain(value)}
    values = {name: value for name, value in named.items() if name not in given}
    for name in ("metric", "measures"):  # of which names and objects are taken alike
        if name in given:
            values[name] = list(dict.fromkeys(one for one in as_list(given[name]) if isinstance(one, str)))
    raise_all([wrong for name, value in given.items() if (wrong := problem_of(name, value))])
    if experiment is None and (base := {"corpus", "scores"} & given.keys()) and "folder" not in values:
        experiment = "folder" if "corpus" in base else "scores"
    overrides = [f"+experiment={quote_value(experiment)}"] if experiment else []
    overrides += [f"{name}={quote_value(value)}" for name, value in values.items()]
    cfg = compose_configuration(overrides)
    set_limits(limits_of(cfg))
    made, cache = build(cfg, given=given), Path(cfg.paths.cache)
    if cfg.check:
        return _checked(made)
    objects = {name: repr(one) for name, one in given.items()}
    command = [*([IN_PYTHON] if objects or written else COMMAND), *overrides, *map("=".join, objects.items())]
    return _outcome(made, cache, {**plain_configuration(cfg), **objects}, command, written)


def is_plain(value: Any) -> bool:
    """Whether a configuration can hold the value as it is; else it is a component, or holds components."""
    if isinstance(value, Mapping):
        return all(map(is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, Real | str | Path)


def _checked(experiment: Experiment) -> Outcome:
    """`check=True`: what the command line prints is the answer; there are no tables, and nothing can be saved."""
    said = "\n".join(map(escape_unseen, checked(experiment)))
    return Outcome({"name": experiment.name, "answer": said}, {}, Tables({}, holds=True), _refuse)


def _refuse(target: Path) -> None:
    raise ConfigError(f"check=True ran nothing to write to {target}")


def quote_value(value: Any) -> str:
    """A value as Hydra's grammar reads it back.

    >>> print(quote_value(["BLEU", "RBO(p=0.9)", 0.5, None]))
    [BLEU,"RBO(p=0.9)",0.5,null]
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Real):
        return repr(getattr(value, "item", lambda: value)())  # numpy's numbers as Python's
    if isinstance(value, Mapping):
        keys = (SPECIAL.sub(r"\\\g<0>", str(name)) for name in value)
        return "{" + ",".join(f"{key}:{quote_value(one)}" for key, one in zip(keys, value.values(), strict=True)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{','.join(map(quote_value, value))}]"
    if WORD.fullmatch(str(value)) and str(value).lower() not in ("null", "true", "false", "nan", "inf"):
        return str(value)
    # What stands before a quote is read with its backslashes halved; `${` would be the value of another key.
    text = BEFORE_QUOTE.sub(lambda found: found[1] * 2 + ('\\"' if found[2] else ""), str(value))
    return '"' + text.replace("${", "\\${") + '"'


MENDED = re.compile(r"sed -E \"(.*?)\" ('.*?'|\S+) > \S+")


@in_python("cb.correlate(df, measures=['MAP'])")
def correlate(df: Any, measures: Sequence[str] | str, given: Sequence[str] | str = (), **settings: Any) -> Outcome:
    """Correlate the columns of a DataFrame, as `+experiment=scores` does with a score table.

    `df`: a frame of pandas, polars, pyarrow or another library that narwhals reads; one row for each system, whose name
    is the column `system` (in pandas also the index); numeric columns are MT metrics,
    those that `measures` names IR measures, text columns metadata. `given`: columns that are known beforehand and
    are no metrics, such as `step`.
    Further settings are those of the command line: `scores__lower_is_better=["TER"]`, `units="none"`.

        >>> import clirbench as cb, pandas as pd
        >>> df = pd.DataFrame(
        ...     {"BLEU": [20.1, 22.5, 30.2, 31.0], "MAP": [0.2, 0.3, 0.4, 0.5]}, index=["a", "b", "c", "d"]
        ... )
        >>> cb.correlate(df, measures=["MAP"]).correlations.value.tolist()[:2]
        [1.0, 1.0]
    """
    rows, given = _rows(df), _listed("given", given)
    known = [*given, *_listed("scores__metadata", settings.pop("scores__metadata", ()))]
    named = {"scores__measures": _listed("measures", measures), "scores__metadata": known, "given": given}
    with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
        path = Path(folder) / "DataFrame.tsv"
        write_tsv(path, list(rows.columns), rows.itertuples(index=False))
        try:
            return _run("scores", {"scores__tables": [path], **named, **settings}, path)
        except ClirbenchError as error:
            for one in getattr(error, "errors", (error,)):
                said = (MENDED.sub(_replaced, str(text)).replace(str(path), "the DataFrame") for text in one.args)
                one.args = tuple(text.replace("scores.measures", "measures") for text in said)
            raise


def _replaced(found: re.Match[str]) -> str:
    """What to type in the place of sed."""
    return "df" + re.sub(r";?s/(.*?)/(.*?)/g", r'.replace(r"\1", r"\2", regex=True)', found[1])


def _listed(key: str, names: Any) -> list[str]:
    if not isinstance(names, Iterable):
        raise ConfigError(f"{key}={names!r}: a list of names was expected, {key}=[A, B]")
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _rows(df: object) -> "pd.DataFrame":
    """The DataFrame as a score table: names are text, a column has those of the systems, a hole is None."""
    import pandas as pd

    table = pandas_frame(df)
    if table is None:
        named = isinstance(df, str | Path)
        made = f"pandas.read_csv({str(df)!r}, sep=None, engine='python')" if named else "pandas.DataFrame(...)"
        kind = f"not {type(df).__module__}.{type(df).__name__}; {made} makes one"
        raise ConfigError(f"correlate: a DataFrame of pandas, polars or pyarrow was expected, {kind}")
    for what, axis in (("index", table.index), ("columns", table.columns)):
        if axis.nlevels > 1:
            raise InputError(f"the DataFrame: {axis.nlevels} levels of {what}; make it one name each")
    labels: list[Any] = list(table.columns)
    rows = table.set_axis(["" if pd.isna(label) else str(label) for label in labels], axis=1)
    if not {"system", "name"} & {name.lower() for name in rows.columns}:
        names = [name for name, cells in rows.items() if cells.is_unique and all(isinstance(c, str) for c in cells)]
        if table is not df or isinstance(table.index, pd.RangeIndex):
            typed = f"df.rename({'columns=' if table is df else ''}{{'{names[0] if names else 'NAME'}': 'system'}})"
            said = "the DataFrame: no column is called system; rename the one that has the names of the systems"
            raise InputError(f"{said}, {typed}")
        rows = rows.rename_axis("system").reset_index()
    if "" in rows.columns:
        raise InputError(f"the DataFrame: column {list(rows.columns).index('')} (from 0) has no name")
    return rows.astype(object).where(rows.notna(), None)


def load(folder: str | Path) -> Outcome:
    """What the run whose folder this is found; raises `InputError` where it is no folder of a finished run.

    >>> import clirbench as cb
    >>> folder = cb.run("europarl_csen_published").save("published")
    >>> cb.load(folder).tables.keys() == cb.run("europarl_csen_published").tables.keys()
    True
    """
    path = checked_path(folder)
    found = run_files.read_results(path, ("name", "answer", "units", "tables", "columns", "coefficients"))
    texts = {name: table["text"] for name, table in found["tables"].items()} | {"correlations": texts_of(Correlation)}
    described = {column["name"] for column in found["columns"]}
    texts["systems"] = [name for name in texts.get("systems", ()) if name not in described]
    columns = {name: tuple(table["columns"]) for name, table in found["tables"].items()}
    tables = {name: TableFile(path, name, header, tuple(texts[name])) for name, header in columns.items()}
    return Outcome(found, run_files.read_provenance(path), Tables(tables, holds=True), partial(copy_finished, path))


@dataclass(frozen=True)
class TableFile:
    """A table of a run's folder, with the columns that results.json names; `text`: those that hold no numbers."""

    folder: Path
    name: str
    columns: tuple[str, ...]
    text: tuple[str, ...]

    def load(self) -> "pd.DataFrame":
        """The table; raises `InputError` where the file has gone, or holds something else."""
        path = run_files.path_inside(self.folder, f"{self.name}.tsv")
        try:
            with open_binary(path) as content, TextIOWrapper(content, "utf-8", newline="") as stream:
                found = frame(stream, self.text)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None
        if found.columns.tolist() != list(self.columns) or found.index.tolist() != list(range(len(found))):
            raise InputError(f"{path}: its columns are not those that results.json names")
        return found


def copy_finished(folder: Path, target: Path) -> None:
    """Copy a finished run, its plan and its events to another folder, in which an earlier run is kept."""
    if target.resolve() == folder.resolve():
        return
    run_files.refuse_links(folder)
    if gone := [name for name in run_files.read_marker(folder) if not (folder / name).exists()]:
        raise InputError(f"{folder}: its marker names {', '.join(gone)}, which is not there")
    made, claimed = run_files.read_provenance(folder), RunFolder.claim(target)
    if (folder / PLAN).is_file():
        shutil.copy2(folder / PLAN, target / PLAN)
    _add_events(target, run_files.Journal(folder / run_files.EVENTS).whole_lines())
    read, version = made.get("read", {}), made.get("clirbench", __version__)
    claimed.put(lambda unfinished: copy_run(folder, unfinished), read, version)


def _add_events(target: Path, lines: bytes) -> None:
    if lines:
        journal = run_files.Journal(target / run_files.EVENTS)
        journal.mend()
        journal.append(lines)


def _write(result: Result, made: Any, planned: bytes, told: bytes, target: Path) -> None:
    claimed = RunFolder.claim(target)
    (target / PLAN).write_bytes(planned)
    _add_events(target, told)
    claimed.write(result, made)


def _outcome(
    experiment: Experiment, cache: Path, configuration: Any, command: Sequence[str], written: Path | None = None
) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
        with running(experiment, cache, Path(folder), command) as result:
            made = plain(provenance(configuration, command, result))
        planned, told = (Path(folder) / PLAN).read_bytes(), (Path(folder) / run_files.EVENTS).read_bytes()
    if written:
        made = json.loads(json.dumps(made, ensure_ascii=False).replace(str(written), DATAFRAME))
        told = told.replace(str(written).encode(), DATAFRAME.encode())
    write = partial(_write, result, made, planned, told)
    for line in notes(result, brief=True):
        warnings.warn(escape_unseen(line), RunWarning, stacklevel=5)  # of who called `run` or `correlate`
    return Outcome(results(result), made, Tables(run_tables(result), holds=True), write)
