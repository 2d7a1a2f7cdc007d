"""The keys of a run, what each may hold, and what Hydra says against it; keys of components: `components.py`."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from clirbench.configuration.laboratories import config_parts
from clirbench.errors import ConfigError, closest, closest_match

NODES = (
    "analyzer", "corpus", "systems", "topics", "also_topics", "retrieval", "also_retrieval", "relevance", "also",
    "metric", "measure", "engine", "paper", "analyses", "experiment", "texts", "hydra",
)  # fmt: skip
"""Keys that hold components, or a choice of them."""


def key_of(override: str) -> str:
    """`a.b` of `+a.b=c`."""
    return override.lstrip("+~").partition("=")[0]


def may_name_files(key: str) -> bool:
    """Whether a value of a dotted key, or an item of its list, may be the name of a file or folder."""
    key = key.partition("[")[0]
    return key in PATHS or (key not in (*NODES, *BY_NAME) and not key.endswith((".include", ".exclude")))


@dataclass(frozen=True)
class Key:
    """One key: its dotted name, the kind of its value (one of `KINDS`), and what it is, in a line."""

    name: str
    kind: str
    help: str

    def problem(self, value: Any) -> ConfigError | None:
        """What is wrong with a value, None where nothing is."""
        if value is None or KINDS[self.kind](value):
            return None
        return ConfigError(f"{self.name}={value!r} must be {self.kind}: {self.help}")


def is_text(value: Any) -> bool:
    """Whether a value is text or a number, which is a name too; true and false are neither."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _names(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(is_text, value)))


def _pairs(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_text, value.values()))


KINDS: dict[str, Callable[[Any], bool]] = {
    "a text": is_text,
    "true or false": lambda value: isinstance(value, bool),
    "a number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "a number of at least 0": lambda value: KINDS["a number"](value) and 0 <= value < inf,
    "a number between 0 and 1": lambda value: KINDS["a number"](value) and 0 < value < 1,
    "a whole number of at least 0": lambda value: type(value) is int and value >= 0,
    "a whole number of at least 1": lambda value: type(value) is int and value >= 1,
    "a list of names, [A,B]": _names,
    "pairs of names, {OLD: NEW}": _pairs,
    "a mapping": lambda value: isinstance(value, dict),
}
NAMES, FLAG, TEXT = "a list of names, [A,B]", "true or false", "a text"

KEYS = (
    Key("name", TEXT, "names the run's folder"),
    Key("folder", TEXT, "the retrieval collection, a folder of MT outputs"),
    Key("test_folder", TEXT, "the MT test set, where it is another folder with the same system names"),
    Key("references", NAMES, "first, all, or names, the first is searched; cross: another scores, both ways"),
    Key("runs", TEXT, "a folder of TREC runs made by another retrieval system"),
    Key("documents.size", "a whole number of at least 1", "lines in a document where there is no docs.tsv"),
    Key("languages", TEXT, "SOURCE-TARGET, such as de-zh: chooses the analyser and the metrics' tokeniser"),
    Key("measures", NAMES, "IR measures"),
    Key("analysis", NAMES, "the analyses to make"),
    Key("pair", NAMES, "the two systems of a two-system analysis"),
    Key("primary", TEXT, "the IR measure that the answer is about"),
    Key("units", TEXT, "the column that says which systems belong together, none, number, maker or order"),
    Key("given", NAMES, "what a metric must add to: metadata columns, such as training_lines"),
    Key("untranslated", FLAG, "rows that search the source side, untranslated, and the reference side"),
    Key("baseline", TEXT, "the system in use: is another one better?"),
    Key("keep_copies", FLAG, "a system that copies the reference takes part"),
    Key("margin", "a number of at least 0", "a loss against baseline that is allowed, in units of the measure"),
    Key(
        "pool.about", "pairs of names, {OLD: NEW}", "what the collection shares with others: {pair: de-en, year: 2021}"
    ),
    Key("pool.groups", NAMES, "of these, what keeps collections together when a sweep is pooled"),
    Key("pool.apart", NAMES, "runs that count by themselves when a sweep is pooled, though they share texts"),
    Key("pool.tables", NAMES, "score tables with a column collection, pooled after a sweep"),
    Key("pool.measures", NAMES, "their columns that are IR measures"),
    Key("pool.metrics", NAMES, "their columns that are MT metrics; all other numbers if not said"),
    Key("pool.plan", TEXT, "the plan of a study over a sweep"),
    Key("correlation.coefficients", NAMES, "kendall, spearman, pearson, ..."),
    Key("correlation.alpha", "a number between 0 and 1", "x marks a tau whose p-value is not below"),
    Key("correlation.p_value", TEXT, "exact, permutation or scipy"),
    Key("correlation.intervals", "a mapping", "bootstrap intervals; null: none"),
    Key("correlation.complete_pairs", FLAG, "a column with holes is correlated over the systems that have a value"),
    Key("scores.tables", NAMES, "score tables made elsewhere"),
    Key("scores.measures", NAMES, "which columns of score tables are IR measures"),
    Key("scores.lower_is_better", NAMES, "columns in which less is better"),
    Key("scores.ignore", NAMES, "columns that are left out"),
    Key("scores.metadata", NAMES, "columns that describe systems although they are numbers"),
    Key("scores.rename", "pairs of names, {OLD: NEW}", "new names of columns"),
    Key("scores.title", TEXT, "heads the tau table of the imported measures"),
    Key("scores.mark", TEXT, "an imported measure that is computed too is called NAME[mark]"),
    Key("scores.missing", TEXT, "error, drop or hole: what an empty cell is"),
    Key("title", TEXT, "heads the tau table of what is computed"),
    Key("remarks", NAMES, "sentences said under the tables"),
    Key("paths.mirror", TEXT, "a folder where data sets lie ready"),
    Key("paths.cache", TEXT, "the store, and downloads"),
    Key("download", FLAG, "whether missing data may be fetched"),
    Key("seed", "a whole number of at least 0", "seed of everything random"),
    Key("check", FLAG, "read, align and list everything, run nothing"),
    Key(
        "limits.line_bytes",
        "a whole number of at least 1",
        "the most that is read: of one line, or one document as JSON",
    ),
    Key("limits.held_bytes", "a whole number of at least 1", "the most that is read: of a file that is held in memory"),
    Key("limits.unpacked_bytes", "a whole number of at least 1", "the most that is read: of a file that is streamed"),
    Key("limits.lines", "a whole number of at least 1", "the most that is read: of a searched text"),
    Key(
        "limits.json_depth",
        "a whole number of at least 1",
        "the most that is read: lists and objects within each other",
    ),
    Key("limits.topics", "a whole number of at least 1", "the most that is read: of one set of topics"),
    Key("limits.pairs", "a whole number of at least 1", "the most that is read: topics times documents"),
    Key("output.runs", TEXT, "which run files are written: all, ideal, none, auto"),
    Key("output.figures", NAMES, "formats of the figures: svg, pdf, png"),
    Key("output.json", FLAG, "whether results.json is printed, and nothing else"),
    Key("output.quiet", FLAG, "whether the answer and the folder alone are printed"),
    Key("output.tables", NAMES, "formats of the tables: tsv, parquet beside it"),
)
BY_NAME = {key.name: key for key in KEYS}
PATHS = (
    "folder", "test_folder", "runs", "pool.tables", "pool.plan", "scores.tables", "paths.mirror",
    "paths.cache",
)  # fmt: skip
"""Of these, the keys that name files and folders; settings of components may."""
COMPONENTS = ("retrieval", "topics", "relevance", "systems", "engine", "corpus")
"""Groups of which a run has one component each."""
OF_HYDRA = ("hydra.run.dir", "hydra.sweep.dir", "hydra.searchpath")
SECTIONS = {name.partition(".")[0] for name in BY_NAME if "." in name}


def _keys_of(section: str) -> list[str]:
    return [name for name in BY_NAME if name.startswith(f"{section}.")]


def problems(configuration: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each value of a whole configuration that is not of its key's kind."""
    for section in sorted(SECTIONS):
        if not isinstance(configuration.get(section, {}), dict):
            known = ", ".join(_keys_of(section))
            yield ConfigError(f"{section}={configuration[section]!r} must be a mapping: its keys are {known}")
    for key in KEYS:
        found = key.problem(_value(configuration, key.name))
        if found is not None:
            yield found


def _value(configuration: Any, name: str) -> Any:
    for part in name.split("."):
        configuration = configuration.get(part) if isinstance(configuration, dict) else None
    return configuration


def unknown(overrides: Sequence[str], groups: Collection[str] = ()) -> Iterator[ConfigError]:
    """An error for each key that overrides (`+key=value`) would add and that a run does not have.

    groups: further keys that hold components, those of laboratories.
    """
    for override in overrides:
        name = override.lstrip("+~").partition("=")[0].partition("@")[0].replace("/", ".")
        top = name.partition(".")[0]
        if override.startswith("~") and (name in BY_NAME or name in SECTIONS):
            yield ConfigError(f"{override}: a key of a run cannot be taken away; give it another value")
            continue
        value = override.partition("=")[2]
        if name in SECTIONS and not value.startswith(("{", "$")):
            meant = f"type 'scores.tables=[{value}]'; " if name == "scores" and "." in value else ""
            yield ConfigError(f"{override}: is no single value; {meant}its keys are {', '.join(_keys_of(name))}")
            continue
        open_name = "correlation.intervals" if name.startswith("correlation.intervals.") else "scores.rename"
        if (
            not top
            or top in NODES
            or top in groups
            or name in BY_NAME
            or name in SECTIONS
            or name.startswith(f"{open_name}.")
        ):
            continue
        yield ConfigError(f"{override}: there is no key {name!r}. {_meant(name, override.partition('=')[2])}")


def _meant(name: str, value: str) -> str:
    """The key to type in place of one that there is not."""
    top, last = name.partition(".")[0], name.rpartition(".")[2]
    if top in SECTIONS:
        choices = _keys_of(top)
        return f"{closest_match(name, choices).lstrip()} Keys there: {', '.join(choices)}".lstrip()
    nested = [f"{group}.{last}" for group in COMPONENTS if last in component_keys(group)]
    places = [known for known in BY_NAME if known.endswith(f".{last}")] + nested
    node = closest(top, NODES, 0.7) + name.removeprefix(top)  # the part that is misspelled alone is mended
    close = closest(name, (*BY_NAME, *(NODES if top == name else ())), 0.5 if not places else 0.8)
    meant = [node] if top != name and node in nested else [close] if close else places
    return f"Type {' or '.join(f'{key}={value}' for key in meant)}" if meant else "clirbench --cfg job lists all keys"


def component_keys(group: str) -> set[str]:
    """The keys of all components of a group: `k1`, `b`, ... of retrieval."""
    files = (path for folder in config_parts(group) for path in folder.glob("*.yaml"))
    return {key for path in files for key in re.findall(r"^([a-z]\w*):", path.read_text(encoding="utf-8"), re.M)}


def refusal(error: BaseException) -> ConfigError:
    """What Hydra says, but not its advice to add a key that a run does not have."""
    text = " ".join(str(error).split())
    if found := re.match(r"Could not override '([^']+)'", text):
        where = found[1].rpartition(".")[0]
        missing = f"there is no key {found[1]!r}: what is chosen there does not have it"
        shows = f"'--cfg job -p {where}' shows its keys" if where else "'--cfg job' shows all keys"
        if where in COMPONENTS and (known := sorted(component_keys(where))):
            missing += f"; all keys of {where}: {', '.join(f'{where}.{key}' for key in known)}"
        if where.startswith("hydra"):
            return ConfigError(f"there is no key {found[1]!r}.{closest_match(found[1], OF_HYDRA)}")
        return next(unknown([found[1]]), ConfigError(f"{missing}; {shows}"))
    if found := re.match(r"Error merging override (\S+?)=", text):
        key = BY_NAME.get(found[1].lstrip("+"))
        meant = f" must be {key.kind}: {key.help}" if key else ": a value of another kind belongs there"
        return ConfigError(text.removeprefix("Error merging override ") + meant)
    if found := re.match(r"Could not delete '([^']*)'", text):
        return ConfigError(f"~{found[1]}: nothing of that name can be taken away; an empty list is {found[1]}=[]")
    if found := re.match(r"Ambiguous value for argument '([^=']+)=([^']*)'", text):
        return ConfigError(
            f"{found[1]}={found[2]} has several values: '{found[1]}=[{found[2]}]' is a list of them; with "
            "--multirun each is a run of its own"
        )
    said = re.sub(r" (To append|Config search path:) .*", "", text)
    return ConfigError(f"the configuration cannot be put together: {said}")
