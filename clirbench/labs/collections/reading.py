"""What several runs and score tables say of metrics: collections, and which of them count as one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any

import numpy as np

from clirbench.errors import ClirbenchError, InputError, UnknownName, gathered, raise_all
from clirbench.files.run_files import numbers, read_provenance, read_results, read_run_table
from clirbench.files.score_tables import ScoreTables
from clirbench.files.tables import read_table
from clirbench.labs.collections.model import joined
from clirbench.pages import listed
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import Units, units_of
from clirbench.statistics.grades import Evidence
from clirbench.types import JUDGES

PAIR = re.compile(r"[A-Z]{2}-[A-Z]{2}\b")
"""A language pair at the beginning of a collection's name: `LT-EN In`."""


@dataclass(frozen=True, eq=False)
class Collection:
    """The scores of one collection. `about`: what it shares with others, such as `pair` and `year`.

    `texts`: sha256 of the documents and the references; `outputs`: of the systems' outputs; none of a table; `source`:
    of the source, which tells that topics and documents are about the same; `judgments`: signatures of what people
    judged, which names topics and documents, in whatever language the collection was. `apart`: it counts as
    independent, whatever it shares. `longer`: its name with the folder around it; `content`: what it was made of.
    """

    name: str
    board: Scoreboard
    units: Units
    about: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    texts: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    source: str = ""
    judgments: frozenset[str] = frozenset()
    apart: bool = False
    longer: str = ""
    content: tuple[Any, ...] = ()

    def in_common(self, other: "Collection") -> str:
        """Why the two count as one, or nothing: texts tell it, names of systems only where no texts are recorded.

        A source alone tells nothing: it may be translated into several languages. The same judgments are of the same
        topics and documents, also where the language pairs differ.
        """
        if self.apart or other.apart:
            return ""
        if self.judgments & other.judgments:
            return "relevance judgments"
        if len({collection.about.get("pair", "") for collection in (self, other)} - {""}) > 1:
            return ""
        if not (self.texts and other.texts):
            names = (frozenset(collection.units.labels) for collection in (self, other))
            return "names of systems (no texts are recorded)" if _half(*names) else ""
        if self.texts & other.texts:
            return "a reference"
        return "outputs of systems" if _half(self.outputs, other.outputs) else ""


def _half(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether they have at least half of the fewer in common."""
    return 0 < min(len(one), len(other)) <= 2 * len(one & other)


def different(collections: Sequence[Collection]) -> bool:
    """Whether one of them has nothing in common with the first."""
    return not all(collections[0].in_common(other) for other in collections[1:])


def collection_of(path: Path) -> Collection:
    """The scores of a run's folder; raises `InputError` for a folder that is no run."""
    provenance, results = read_provenance(path, ("inputs",)), read_results(path, ("columns",))
    table = read_run_table(path, "systems", ("system",))
    table.unique("system")
    columns = tuple(
        Column(
            one["name"], one["role"], np.array(numbers(table, one["name"])), one["higher_is_better"], one["signature"],
            origin=one["origin"], parts=tuple(one.get("parts", ())), declared=one.get("declared", {}),
        )
        for one in results["columns"]
    )  # fmt: skip
    described = [name for name in table.header if name not in ("system", *(column.name for column in columns))]
    inputs, configuration = provenance["inputs"], provenance.get("configuration") or {}
    every = Scoreboard(table.column("system"), columns, {name: table.column(name) for name in described})
    board = Evidence(every).only(~np.isin(every.systems, list(inputs.get("baselines", ())))).board
    near = [(pair[0], pair[-1]) for pair in provenance.get("near_copies", ())]
    about = {str(k): str(v) for k, v in ((configuration.get("pool") or {}).get("about") or {}).items()}
    searched, recorded = inputs.get("collection", {}).get("sha256"), inputs.get("texts") or {}
    judged = frozenset((column.name, column.signature) for column in board.measures)
    scores = tuple(column.values.tobytes() for column in columns)
    name, longer = _name(path, configuration, about)
    return Collection(
        name, board, units_of(board, str(configuration.get("units") or ""), near, provenance.get("stems", {})), about,
        texts=frozenset([searched, *recorded.get("references", ())]) if searched else frozenset(),
        outputs=frozenset(sha for sides in inputs.get("systems", {}).values() for sha in sides.values()),
        source=str(recorded.get("source") or ""),
        judgments=frozenset(
            column.parts[2]
            for column in board.measures
            if column.judged_by in JUDGES and not column.declared.get("known_item_like") and len(column.parts) > 2
        ),
        longer=longer,
        content=(searched, inputs.get("test_sha256") if searched else scores, board.systems, judged),
    )  # fmt: skip


def _name(path: Path, configuration: Mapping[str, Any], about: Mapping[str, str]) -> tuple[str, str]:
    """The run folder's name, or, where that is a time or a job's number, that of the collection or experiment; and
    the same with the folder around it."""
    path = path.resolve()
    searched, experiment = configuration.get("folder"), str(configuration.get("name") or path.name)
    if part := about.get("collection"):
        return part, part
    if path.name[:1].isdigit() and not (searched and experiment == "folder"):
        return experiment, f"{experiment}/{path.name}"
    place = Path(str(searched)).resolve() if path.name[:1].isdigit() else path
    return place.name, "/".join(place.parts[-2:])


def of_table(path: Path, measures: Sequence[str], metrics: Sequence[str]) -> Iterator[Collection]:
    """A score table with a column `collection` or `group`: one collection each. Text columns say what they share."""
    table = read_table(path)
    place = next((name for name in ("collection", "group") if name in table.header), "")
    if not place:
        raise InputError(f"{path}: a score table that is pooled needs a column collection (or group)")
    if not measures:
        raise InputError(f"{path}: say which of its columns are IR measures: --measures MAP,RBO")
    table.require(*metrics)
    for name in dict.fromkeys(table.column(place)):
        at = [i for i, cell in enumerate(table.column(place)) if cell == name]
        own = replace(table, rows=tuple(table.rows[i] for i in at), numbers=tuple(table.numbers[i] for i in at))
        board = ScoreTables(measures=measures, metadata=place, missing="hole", metrics=metrics, further=(own,)).read()
        kept = tuple(c for c in board.columns if c.role == "measure" or c.name in metrics or not metrics)
        about = {"pair": pair[0]} if (pair := PAIR.match(name)) else {}
        about |= {n: cells[0] for n, cells in board.metadata.items() if n != place and len({*cells}) == 1}
        described = {n: cells for n, cells in board.metadata.items() if n not in (place, *about)}
        board = replace(board, columns=kept, metadata=described)
        content = (board.systems, tuple(column.values.tobytes() for column in kept))
        yield Collection(name, board, units_of(board), about, content=content)


def collections(
    paths: Sequence[Path], groups: Sequence[str], measures: Sequence[str], metrics: Sequence[str], apart: Sequence[str]
) -> list[Collection]:
    """Those of runs (folders) and score tables (files), by names of their own; raises all errors together."""
    errors: list[ClirbenchError] = []
    found: list[Collection] = []
    for path in paths:
        with gathered(errors):
            found += [collection_of(path)] if path.is_dir() else of_table(path, measures, metrics)
    names = [one.name for one in found]
    found = [replace(one, name=one.longer) if one.longer and names.count(one.name) > 1 else one for one in found]
    names = [one.name for one in found]
    for one, other in combinations(found, 2):
        if one.content == other.content:
            text = f"{one.name} and {other.name} are the same collection, judged the same way: pool one of them"
            errors.append(InputError(text))
        elif one.name == other.name:
            errors.append(InputError(f"two collections are called {one.name}: rename a folder"))
    for group in groups:
        if lost := [one.name for one in found if group not in one.about]:
            text = f"{', '.join(lost)}: nothing says their {group}; run with '++pool.about={{{group}: VALUE}}'"
            errors.append(InputError(text))
    errors += [UnknownName("run of --apart", name, names) for name in apart if name not in names]
    raise_all(errors)
    return [replace(one, apart=one.name in apart) for one in found]


def counted_as_one(found: Sequence[Collection]) -> Iterator[str]:
    """For each set of runs that count as one collection: which, why, and what to type where that is wrong."""
    shared = {(i, j): found[i].in_common(found[j]) for i, j in combinations(range(len(found)), 2)}
    cluster = joined([pair for pair, why in shared.items() if why], len(found))
    for own in (np.flatnonzero(cluster == one).tolist() for one in np.unique(cluster)):
        if len(own) > 1:
            names = [found[i].name for i in own]
            reasons = dict.fromkeys(why for pair, why in shared.items() if why and pair[0] in own)
            yield (
                f"{listed(names)} count as one collection, because they share {' or '.join(reasons)}. To count each by "
                f"itself, add --apart {quote(','.join(names[1:]))}."
            )


def differing(found: Sequence[Collection]) -> Iterator[str]:
    """Metrics of one name that are not computed the same way everywhere, whatever the number of references."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for one in found:
        for column in one.board.metrics:
            made = "|".join(column.parts) or column.signature or "imported"
            kinds.setdefault(column.name, {}).setdefault(made, []).append(one.name)
    for name, of in kinds.items():
        if len(of) > 1:
            ways = "; ".join(f"{made}: {', '.join(names)}" for made, names in of.items())
            yield f"{name} is not made the same way everywhere: {ways}"
