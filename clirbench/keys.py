"""The keys of a run, each once: name, type, default and meaning.

From `KEYS` come what the command line knows and says, the defaults beneath `conf/config.yaml`, fields of `Experiment`
(`setting`), and the table in the documents. Keys of components are the arguments of their classes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

from clirbench.checks import name_list, not_a
from clirbench.errors import ConfigError, UnknownName
from clirbench.text import Limits


def is_text(value: Any) -> bool:
    """Whether a value is text or a number, which is a name too; true and false are neither."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


TEXT, FLAG, NAMES, PAIRS = "a text", "true or false", "a list of names, [A,B]", "pairs of names, {OLD: NEW}"
AMOUNT, SHARE = "a number of at least 0", "a number between 0 and 1"
WHOLE, COUNT = "a whole number of at least 0", "a whole number of at least 1"
KINDS: dict[str, Callable[[Any], bool]] = {
    TEXT: is_text,
    FLAG: lambda value: isinstance(value, bool),
    NAMES: lambda value: isinstance(value, str) or (isinstance(value, list) and all(map(is_text, value))),
    PAIRS: lambda value: isinstance(value, dict) and all(map(is_text, value.values())),
    AMOUNT: lambda value: is_number(value) and 0 <= value < inf,
    SHARE: lambda value: is_number(value) and 0 < value < 1,
    WHOLE: lambda value: type(value) is int and value >= 0,
    COUNT: lambda value: type(value) is int and value >= 1,
    "a mapping": lambda value: isinstance(value, dict),
}
"""What a key may hold, in words and as a test; null is always allowed."""

SEARCH_PATH = "hydra.searchpath"
FILES = "its value names files or folders"


@dataclass(frozen=True)
class Key:
    """One key: its dotted name, the kind of its value (one of `KINDS`), its default, what it is, in a line, and its
    choices if they are few, or `FILES`."""

    name: str
    kind: str
    default: Any
    help: str
    more: str | tuple[str, ...] = ()

    def problem(self, value: Any) -> ConfigError | None:
        """What is wrong with a value, None where nothing is."""
        if value is None or KINDS[self.kind](value):
            return None
        return not_a(self.kind, self.name, value, f": {self.help}")

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


LIMITS = fields(Limits)
KEYS = (
    Key("name", TEXT, "run", "names the run's folder"),
    Key("folder", TEXT, None, "the retrieval collection, a folder of MT outputs", FILES),
    Key("test_folder", TEXT, None, "the MT test set, where it is another folder with the same system names", FILES),
    Key("references", NAMES, "first", "first, all, or names, the first is searched; cross: one scores, both ways"),
    Key("runs", TEXT, None, "a folder of TREC runs made by another retrieval system", FILES),
    Key("documents.size", COUNT, 1, "lines in a document where there is no docs.tsv"),
    Key("languages", TEXT, None, "SOURCE-TARGET, such as de-zh: chooses the analyser and the metrics' tokeniser"),
    Key("analysis", NAMES, ["correlation"], "the analyses to make"),
    Key("pair", NAMES, None, "the two systems of a two-system analysis; positive numbers favour the first"),
    Key("primary", TEXT, None, "the IR measure that the answer is about"),
    Key("objective", TEXT, None, "for sweepers: a measure, its best value; or regret of choosing by the first metric"),
    Key("units", TEXT, None, "the column that says which systems belong together, none, number, maker or order"),
    Key("untranslated", FLAG, False, "rows that search the source side, untranslated, and the reference side"),
    Key("baseline", TEXT, None, "the system in use: is another one better? exit status 11 if all are worse"),
    Key("keep_copies", FLAG, False, "a system that copies the reference takes part"),
    Key("margin", AMOUNT, 0, "a loss against baseline that is allowed, in units of the measure"),
    Key("pool.about", PAIRS, {}, "what the collection shares with others: {pair: de-en, year: 2021}"),
    Key("pool.groups", NAMES, [], "of these, what keeps collections together when a sweep is pooled"),
    Key("pool.apart", NAMES, [], "runs that count by themselves when a sweep is pooled, though they share texts"),
    Key("pool.tables", NAMES, [], "score tables with a column collection, pooled after a sweep", FILES),
    Key("pool.measures", NAMES, [], "their columns that are IR measures"),
    Key("pool.metrics", NAMES, [], "their columns that are MT metrics; all other numbers if not said"),
    Key("pool.plan", TEXT, None, "the plan of a study over a sweep", FILES),
    Key("correlation.coefficients", NAMES, ["kendall", "spearman", "pearson"], "kendall, spearman, pearson, ..."),
    Key("correlation.alpha", SHARE, 0.05, "x marks a tau whose p-value is not below"),
    Key("correlation.p_value", TEXT, "exact", "exact, permutation or scipy"),
    Key("correlation.complete_pairs", FLAG, True, "a column with holes is correlated over systems with a value"),
    Key("scores.tables", NAMES, [], "score tables made elsewhere", FILES),
    Key("scores.measures", NAMES, [], "which columns of score tables are IR measures"),
    Key("scores.lower_is_better", NAMES, [], "columns in which less is better"),
    Key("scores.ignore", NAMES, [], "columns that are left out"),
    Key("scores.metadata", NAMES, [], "columns that describe systems although they are numbers"),
    Key("scores.rename", PAIRS, {}, "new names of columns"),
    Key("scores.reference", PAIRS, {}, "which reference a metric scores against, by its letter, or none"),
    Key("scores.title", TEXT, "", "heads the tau table of the imported measures"),
    Key("scores.mark", TEXT, "", "an imported measure that is computed too is called NAME[mark]"),
    Key("scores.missing", TEXT, "error", "error or hole: what an empty cell is"),
    Key("title", TEXT, "", "heads the tau table of what is computed"),
    Key("remarks", NAMES, [], "sentences said under the tables"),
    Key("paths.mirror", TEXT, None, "a folder where data sets lie ready", FILES),
    Key("paths.cache", TEXT, "runs/.cache", "the store, and downloads", FILES),
    Key("download", FLAG, False, "whether missing data may be fetched"),
    Key("second_topics", FLAG, True, "further references, and another kind of topics beside made ones, are asked too"),
    Key("seed", WHOLE, 0, "seed of everything random"),
    Key("fresh", FLAG, False, "compute although nothing has changed since the same run was finished"),
    Key("check", FLAG, False, "read, align and list everything, run nothing"),
    *(Key(f"limits.{one.name}", COUNT, one.default, f"the most that is read: {one.metadata['of']}") for one in LIMITS),
    Key("output.runs", TEXT, "auto", "run files; auto: all up to 50 systems", ("all", "ideal", "none", "auto")),
    Key("output.figures", NAMES, ["svg"], "formats of the figures; [] for none", ("svg",)),
    Key("output.json", FLAG, False, "whether results.json is printed, and nothing else"),
    Key("output.quiet", FLAG, False, "whether the answer and the folder alone are printed"),
    Key("output.tables", NAMES, ["tsv"], "formats of the tables: tsv, parquet beside it", ("tsv", "parquet")),
    Key("measures", NAMES, ["RBO(p=0.9)", "MAP", "RBO", "P@10", "R@10", "nDCG"], "IR measures"),
    Key("given", NAMES, [], "what a metric must add to: metadata columns, such as training_lines, or metrics"),
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


WORDS = frozenset({
    "include", "exclude", "name", "missing", "aggregate", "unfinished", "smooth_method", "tokenize", "language", "code",
    "unknown_documents", "missing_topics", "judged_by", "backend", "field",
})  # fmt: skip
"""Keys of components whose texts are words, also where a file or folder is called so, as `exp` of BLEU's smoothing."""


def may_name_files(key: str) -> bool:
    """Whether a value of a dotted key, or an item of its list, may be the name of a file or folder."""
    key = key.partition("[")[0]
    if key in BY_NAME:
        return BY_NAME[key].more == FILES
    return key not in (*NODES, "corpus.scores") and key.rpartition(".")[2] not in WORDS
