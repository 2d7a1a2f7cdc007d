"""The keys of a run, each once: name, type, default and meaning.

From `Keys` come what the command line knows and says, the defaults beneath `conf/config.yaml`, fields of `Experiment`
(`setting`), the keywords of `cb.run` for type checkers, and the table in the documents. A dot of a name is two
underscores here, as in Python. Keys of components are the arguments of their classes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict, get_type_hints

from clirbench.checks import name_list
from clirbench.errors import ConfigError, UnknownName
from clirbench.text import Limits


def is_text(value: Any) -> bool:
    """Whether a value is text or a number, which is a name too; true and false are neither."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


TEXT, FLAG, NAMES, PAIRS = "a text", "true or false", "a list of names, [A,B]", "pairs of names, {OLD: NEW}"
KINDS: dict[str, Callable[[Any], bool]] = {
    TEXT: is_text,
    FLAG: lambda value: isinstance(value, bool),
    NAMES: lambda value: isinstance(value, str) or (isinstance(value, list) and all(map(is_text, value))),
    PAIRS: lambda value: isinstance(value, dict) and all(map(is_text, value.values())),
    "a number of at least 0": lambda value: is_number(value) and 0 <= value < inf,
    "a number between 0 and 1": lambda value: is_number(value) and 0 < value < 1,
    "a whole number of at least 0": lambda value: type(value) is int and value >= 0,
    "a whole number of at least 1": lambda value: type(value) is int and value >= 1,
    "a mapping": lambda value: isinstance(value, dict),
}
"""What a key may hold, in words and as a test; null is always allowed."""

Name: TypeAlias = str | int | float | Path
Text: TypeAlias = Annotated[Name | None, TEXT]
Names: TypeAlias = Annotated[Name | Sequence[Name] | None, NAMES]
Pairs: TypeAlias = Annotated[Mapping[str, Name] | None, PAIRS]
Flag: TypeAlias = Annotated[bool | None, FLAG]
Amount: TypeAlias = Annotated[float | None, "a number of at least 0"]
Share: TypeAlias = Annotated[float | None, "a number between 0 and 1"]
Whole: TypeAlias = Annotated[int | None, "a whole number of at least 0"]
Count: TypeAlias = Annotated[int | None, "a whole number of at least 1"]
FILES = "its value names files or folders"


class Settings(TypedDict, total=False):
    """Each key but those that `cb.correlate` has parameters for: its kind, default, meaning, and its choices if few."""

    name: Annotated[Text, "run", "names the run's folder"]
    folder: Annotated[Text, None, "the retrieval collection, a folder of MT outputs", FILES]
    test_folder: Annotated[Text, None, "the MT test set, where it is another folder with the same system names", FILES]
    references: Annotated[Names, "first", "first, all, or names, the first is searched; cross: one scores, both ways"]
    runs: Annotated[Text, None, "a folder of TREC runs made by another retrieval system", FILES]
    documents__size: Annotated[Count, 1, "lines in a document where there is no docs.tsv"]
    languages: Annotated[Text, None, "SOURCE-TARGET, such as de-zh: chooses the analyser and the metrics' tokeniser"]
    analysis: Annotated[Names, ["correlation"], "the analyses to make"]
    pair: Annotated[Names, None, "the two systems of a two-system analysis; positive numbers favour the first"]
    primary: Annotated[Text, None, "the IR measure that the answer is about"]
    units: Annotated[Text, None, "the column that says which systems belong together, none, number, maker or order"]
    untranslated: Annotated[Flag, False, "rows that search the source side, untranslated, and the reference side"]
    baseline: Annotated[Text, None, "the system in use: is another one better? exit status 11 if all are worse"]
    keep_copies: Annotated[Flag, False, "a system that copies the reference takes part"]
    margin: Annotated[Amount, 0, "a loss against baseline that is allowed, in units of the measure"]
    pool__about: Annotated[Pairs, {}, "what the collection shares with others: {pair: de-en, year: 2021}"]
    pool__groups: Annotated[Names, [], "of these, what keeps collections together when a sweep is pooled"]
    pool__apart: Annotated[Names, [], "runs that count by themselves when a sweep is pooled, though they share texts"]
    pool__tables: Annotated[Names, [], "score tables with a column collection, pooled after a sweep", FILES]
    pool__measures: Annotated[Names, [], "their columns that are IR measures"]
    pool__metrics: Annotated[Names, [], "their columns that are MT metrics; all other numbers if not said"]
    pool__plan: Annotated[Text, None, "the plan of a study over a sweep", FILES]
    pool__known_items: Annotated[Text, None, "a table that +experiment=help wrote", FILES]
    correlation__coefficients: Annotated[Names, ["kendall", "spearman", "pearson"], "kendall, spearman, pearson, ..."]
    correlation__alpha: Annotated[Share, 0.05, "x marks a tau whose p-value is not below"]
    correlation__p_value: Annotated[Text, "exact", "exact, permutation or scipy"]
    correlation__complete_pairs: Annotated[
        Flag, True, "a column with holes is correlated over the systems that have a value"
    ]
    scores__tables: Annotated[Names, [], "score tables made elsewhere", FILES]
    scores__measures: Annotated[Names, [], "which columns of score tables are IR measures"]
    scores__lower_is_better: Annotated[Names, [], "columns in which less is better"]
    scores__ignore: Annotated[Names, [], "columns that are left out"]
    scores__metadata: Annotated[Names, [], "columns that describe systems although they are numbers"]
    scores__rename: Annotated[Pairs, {}, "new names of columns"]
    scores__title: Annotated[Text, "", "heads the tau table of the imported measures"]
    scores__mark: Annotated[Text, "", "an imported measure that is computed too is called NAME[mark]"]
    scores__missing: Annotated[Text, "error", "error or hole: what an empty cell is"]
    title: Annotated[Text, "", "heads the tau table of what is computed"]
    remarks: Annotated[Names, [], "sentences said under the tables"]
    paths__mirror: Annotated[Text, None, "a folder where data sets lie ready", FILES]
    paths__cache: Annotated[Text, "runs/.cache", "the store, and downloads", FILES]
    download: Annotated[Flag, False, "whether missing data may be fetched"]
    seed: Annotated[Whole, 0, "seed of everything random"]
    check: Annotated[Flag, False, "read, align and list everything, run nothing"]
    limits__line_bytes: Annotated[Count, Limits.line_bytes, "the most that is read: of one line, one document as JSON"]
    limits__held_bytes: Annotated[Count, Limits.held_bytes, "the most that is read: of a file that is held in memory"]
    limits__unpacked_bytes: Annotated[Count, Limits.unpacked_bytes, "the most that is read: of a file that is streamed"]
    limits__lines: Annotated[Count, Limits.lines, "the most that is read: of a searched text"]
    limits__json_depth: Annotated[
        Count, Limits.json_depth, "the most that is read: lists and objects within each other"
    ]
    limits__topics: Annotated[Count, Limits.topics, "the most that is read: of one set of topics"]
    limits__pairs: Annotated[Count, Limits.pairs, "the most that is read: topics times documents"]
    output__runs: Annotated[
        Text, "auto", "which run files are written; auto: all up to 50 systems", ("all", "ideal", "none", "auto")
    ]
    output__figures: Annotated[Names, ["svg"], "formats of the figures: svg, pdf, png", ("svg", "pdf", "png")]
    output__json: Annotated[Flag, False, "whether results.json is printed, and nothing else"]
    output__quiet: Annotated[Flag, False, "whether the answer and the folder alone are printed"]
    output__tables: Annotated[Names, ["tsv"], "formats of the tables: tsv, parquet beside it", ("tsv", "parquet")]


class Keys(Settings, total=False):
    """Each key whose value is no component."""

    measures: Annotated[Names, ["RBO(p=0.9)", "MAP", "RBO", "P@10", "R@10", "nDCG"], "IR measures"]
    given: Annotated[Names, [], "what a metric must add to: metadata columns, such as training_lines"]


@dataclass(frozen=True)
class Key:
    """One key: its dotted name, the kind of its value (one of `KINDS`), its default, and what it is, in a line."""

    name: str
    kind: str
    default: Any
    help: str
    more: str | tuple[str, ...] = ()

    def problem(self, value: Any) -> ConfigError | None:
        """What is wrong with a value, None where nothing is."""
        if value is None or KINDS[self.kind](value):
            return None
        return ConfigError(f"{self.name}={value!r} must be {self.kind}: {self.help}")

    def unknown(self, value: Any) -> Iterator[UnknownName]:
        """An error for each name that is none of its choices, if it has choices."""
        if isinstance(self.more, tuple) and self.more:
            names = name_list(self.name, value)
            yield from (UnknownName(self.name, one, self.more) for one in names if one not in self.more)

    def plain(self, value: Any) -> Any:
        """A value as a field of a dataclass holds it: names as a tuple, each once; null is nothing, or the default."""
        if self.kind == NAMES:
            return tuple(dict.fromkeys(name_list(self.name, value)))
        if self.kind == TEXT:
            return "" if value is None else str(value)
        value = self.default if value is None else value
        return float(value) if self.kind.startswith("a number") else value


KEYS = (
    *(
        Key(name.replace("__", "."), *hint.__metadata__)
        for name, hint in get_type_hints(Keys, include_extras=True).items()
    ),
)
BY_NAME = {key.name: key for key in KEYS}
SECTIONS = {name.partition(".")[0] for name in BY_NAME if "." in name}
NODES = (
    "analyzer", "corpus", "systems", "topics", "also_topics", "retrieval", "also_retrieval", "relevance", "also",
    "metric", "measure", "engine", "paper", "analyses", "experiment", "texts", "hydra",
)  # fmt: skip
"""Keys that hold components, or a choice of them."""


def setting(key: str) -> Any:
    """A field of a dataclass that has the value of a key."""
    return field(default=BY_NAME[key].plain(BY_NAME[key].default), metadata={"key": key})


def settings(kind: Any, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass that are keys, out of a whole configuration of plain values."""
    keys = {one.name: BY_NAME[one.metadata["key"]] for one in fields(kind) if "key" in one.metadata}
    return {name: key.plain(value_of(configuration, key.name)) for name, key in keys.items()}


def value_of(configuration: Any, name: str) -> Any:
    """The value of a dotted key; None where it is not there."""
    for part in name.split("."):
        configuration = configuration.get(part) if isinstance(configuration, dict) else None
    return configuration


def defaults() -> dict[str, Any]:
    """The default of every key, in sections."""
    found: dict[str, Any] = {}
    for key in KEYS:
        section, _, name = key.name.rpartition(".")
        (found.setdefault(section, {}) if section else found)[name] = key.default
    return found


def problems(configuration: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each value of a whole configuration that is not of its key's kind."""
    for name in sorted(SECTIONS):
        if not isinstance(configuration.get(name, {}), dict):
            known = ", ".join(keys_of(name))
            yield ConfigError(f"{name}={configuration[name]!r} must be a mapping: its keys are {known}")
    yield from (wrong for key in KEYS if (wrong := key.problem(value_of(configuration, key.name))))


def keys_of(section: str) -> list[str]:
    """The keys of a section, dotted."""
    return [name for name in BY_NAME if name.startswith(f"{section}.")]


def key_of(override: str) -> str:
    """`a.b` of `+a.b=c`."""
    return override.lstrip("+~").partition("=")[0]


def may_name_files(key: str) -> bool:
    """Whether a value of a dotted key, or an item of its list, may be the name of a file or folder."""
    key = key.partition("[")[0]
    if key in BY_NAME:
        return BY_NAME[key].more == FILES
    return key not in NODES and not key.endswith((".include", ".exclude"))
