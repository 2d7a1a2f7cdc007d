"""Which file plays which part in a folder of MT outputs, decided by its name alone.

    source.txt[.gz]                      the source side
    reference.txt[.gz]                   reference A; further ones are reference-B.txt, reference-C.txt, ...
    reference.jsonl[.gz]                 the same as documents, one JSON object a line (searched collections only)
    docs.tsv[.gz]                        which lines make which document
    systems/NAME.txt[.gz] | .jsonl[.gz]  what the MT system NAME wrote
    systems.tsv[.gz]                     metadata of the systems
    scores.tsv[.gz]                      scores that came from elsewhere
    official-metrics.tsv, human.tsv      scores that the organisers of a campaign published

    official-metrics.tsv   system, metric, score: COMET-A is COMET against reference A
    human.tsv              system, score_z (standardised), ..., kind: `system`, or `human` for a translation by people

The files need not be in one folder: a data manifest lists the same names and finds each in a mirror or the cache.
Which of the published scores take part, and why others do not, is decided here; so are languages: one spelling of their
codes, and the language that a text is in.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from clirbench.checks import name_list
from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, closest, gathered, raise_all
from clirbench.files.run_files import PROVENANCE, read_provenance
from clirbench.files.score_tables import by_metric
from clirbench.files.tables import MISSING, TextTable, read_table
from clirbench.text import Text, TextFile, check_name, did_you_mean
from clirbench.types import by_key

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_TEXT = r"\.(?:txt|jsonl)(?:\.gz)?"
_REFERENCE = re.compile(rf"reference(?:-(?P<name>.+?))?{_TEXT}", re.DOTALL)
_SYSTEM = re.compile(rf"systems/(?P<name>[^/]+?){_TEXT}", re.DOTALL)
_SINGLE = re.compile(r"(?P<name>source\.txt|(?:docs|systems|scores|official-metrics|human)\.tsv)(?:\.gz)?")
_PARTS = {"reference": _REFERENCE, "system": _SYSTEM, "": _SINGLE}


@dataclass(frozen=True, eq=False)
class Layout:
    """The files of one folder of MT outputs by their role.

    `locate` gives the path of each of some files, and raises an error that lists all that cannot be had.

    `references` and `systems` map a name (`A`, `Online-B`) to a file; `singles` maps `source.txt`, `docs.tsv`,
    `systems.tsv` and `scores.tsv` to the file that is there, packed or not; `ignored` are the files of no known part.
    `doc_ids`: the document of each line, and what says so, where that is not docs.tsv. `key`: `test_folder=`, or "".
    """

    where: str
    locate: Callable[[Sequence[str]], Mapping[str, Path]]
    references: Mapping[str, str]
    systems: Mapping[str, str]
    singles: Mapping[str, str]
    ignored: tuple[str, ...] = ()
    doc_ids: tuple[str, Sequence[str]] | None = None
    key: str = ""

    def text(self, file: str) -> Text:
        """The text of one of the files of this layout."""
        return self.texts([file])[0]

    def texts(self, files: Sequence[str]) -> tuple[Text, ...]:
        """The texts of several files, located in one go so that all that is missing is reported at once."""
        located = self.locate(files)
        return tuple(text_at(located[file]) for file in files)

    @property
    def source(self) -> Text | None:
        """The text of the source side; None where the folder has none."""
        return self.text(self.singles["source.txt"]) if "source.txt" in self.singles else None

    def single(self, name: str) -> Path | None:
        """The path of `docs.tsv`, `source.txt`, ...; None where the folder has none."""
        file = self.singles.get(name)
        return None if file is None else self.locate([file])[file]


@dataclass(frozen=True, eq=False)
class HeldLayout(Layout):
    """A layout whose texts are held in memory, by the file names that the layout lists."""

    held: Mapping[str, Text] = field(default_factory=dict)

    def texts(self, files: Sequence[str]) -> tuple[Text, ...]:
        return tuple(self.held[file] for file in files)

    def single(self, name: str) -> Path | None:
        """None: what a folder keeps in a file of its own (docs.tsv, systems.tsv) is held too, or is not there."""
        return None


def located(paths: Mapping[str, Path], files: Sequence[str]) -> Mapping[str, Path]:
    """The `locate` of a layout whose paths are known; without any, of one whose texts are held."""
    return paths


def text_at(path: Path) -> Text:
    """The text of a file by its name: JSON-lines documents (`.jsonl`, `.jsonl.gz`) or plain lines."""
    return JsonlText(path) if is_jsonl(path) else TextFile(path)


def is_jsonl(path: Path) -> bool:
    """Whether a file is called .jsonl or .jsonl.gz."""
    return path.name.removesuffix(".gz").endswith(".jsonl")


def layout_of(where: str, names: Iterable[str], locate: Callable[[Sequence[str]], Mapping[str, Path]]) -> Layout:
    """Sort file names into parts.

    Raises `InputError` (or `Problems`) for two files that play the same part, and for a system or reference that
    cannot be called that (`check_name`).
    """
    held: dict[tuple[str, str], list[str]] = {}
    ignored: list[str] = []
    for file in sorted(names):
        matched = ((part, pattern.fullmatch(file)) for part, pattern in _PARTS.items())
        keys = [(part, found["name"] or "A") for part, found in matched if found]
        (held.setdefault(keys[0], []) if keys else ignored).append(file)
    errors: list[ClirbenchError] = []
    for (part, name), files_of in held.items():
        if len(files_of) > 1:
            called = f"{part} {name!r}" if part == "system" else f"{part} {name}".strip()
            errors.append(InputError(f"{where}: two files for {called}: {', '.join(files_of)}; keep one of them"))
        with gathered(errors):
            check_name(where, f"{part} name", name)
    raise_all(errors)
    parts = ({name: of[0] for (known, name), of in held.items() if known == part} for part in _PARTS)
    references, systems, singles = parts
    return Layout(where, locate, references, systems, singles, tuple(ignored))


def folder_layout(folder: str | Path, key: str = "") -> Layout:
    """The layout of a folder; raises `InputError`, naming the `key=` of it, where it is missing or is no folder."""
    paths = _named_paths(folder, key)
    return replace(layout_of(str(folder), paths, partial(located, paths)), key=key)


def _named_paths(folder: str | Path, key: str = "") -> dict[str, Path]:
    root = Path(folder).expanduser()
    if not root.exists():
        raise InputError(f"{key}{folder}: no such folder{did_you_mean(root)}")
    if not root.is_dir():
        raise InputError(f"{key}{folder}: is a file, a folder of MT outputs was expected; its folder is {root.parent}")
    systems = files_in(root / "systems") if (root / "systems").is_dir() else {}
    return files_in(root) | {f"systems/{name}": path for name, path in systems.items()}


def translations_layout(folder: str | Path, english: str | None = None) -> Layout:
    """A translated collection: a folder as `folder_layout` reads it, or with the systems' files directly in it.

    `english` is the English side where it is elsewhere (it replaces the folder's references).
    """
    paths = _named_paths(folder)
    if not (Path(folder).expanduser() / "systems").is_dir():
        ours = {name for name in paths if _REFERENCE.fullmatch(name) or _SINGLE.fullmatch(name)}
        paths = {name if name in ours else f"systems/{name}": path for name, path in paths.items()}
    if english:
        paths = {name: path for name, path in paths.items() if not _REFERENCE.fullmatch(name)}
        paths["reference.jsonl" if is_jsonl(Path(english)) else "reference.txt"] = Path(english).expanduser()
    return layout_of(str(folder), paths, partial(located, paths))


def files_in(folder: Path) -> dict[str, Path]:
    """The files of a folder by name, without hidden ones and folders."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None
    if broken := [path for path in entries if path.is_symlink() and not path.exists()]:
        raise InputError(f"{broken[0]}: is a link to {broken[0].readlink()}, which does not exist; remove or mend it")
    return {path.name: path for path in entries if not path.name.startswith(".") and path.is_file()}


def chosen_references(layout: Layout, references: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the references to use: `first`, `all`, one name, or several; the first named is searched.

    Raises `InputError` where the folder has no reference, `UnknownName` for one that it does not have.
    """
    if not layout.references:
        where = Path(layout.where)
        here = where if where.name else where.absolute()  # the folder that one is in
        around = here.parent.glob("reference*") if here.name == "systems" else where.glob("*/reference*")
        found = sorted({path.parent for path in around})
        meant = [f"; type {f'{layout.key}{one}' if layout.key else f'clirbench {one} (folder={one})'}" for one in found]
        if PROVENANCE in layout.ignored:
            made = read_provenance(where)
            folder = made.get("configuration", {}).get("folder")
            texts = quote(os.path.relpath(Path(made.get("directory", ""), str(folder))))
            of = f"; to run its texts again, type clirbench {texts}" if folder else ""
            page = f"; it is the folder of a run, whose page is {where / 'report.html'}"
            meant = [f"{page}; to check the run, type clirbench verify {quote(str(where))}{of}"]
        near = closest("reference.txt", layout.ignored, 0.6) or "what is meant"
        there = f" but {', '.join(layout.ignored[:5])}: rename {near} to reference.txt" if layout.ignored else ""
        other = "corpus=mtme corpus.pair=PAIR" if (where / "system-outputs").is_dir() else "corpus=NAME"
        cure = next(iter(meant), f"{there}; another layout has a reader, {other} (docs/how-to/corpus.md)")
        raise InputError(f"{where}: no reference.txt or reference.txt.gz (nor reference-A.txt, ...) in it{cure}")
    names = name_list("references", references)
    if names in (("first",), ()):
        return (min(layout.references),)
    if names == ("all",):
        return tuple(sorted(layout.references))
    known = layout.references
    raise_all([UnknownName(f"reference of {layout.where}", name, known) for name in names if name not in known])
    if len(set(names)) < len(names):
        raise InputError(f"references={list(names)}: a reference is named twice")
    return names


def crossed_references(layout: Layout, references: str | Sequence[str]) -> tuple[str, str] | None:
    """The references that are searched and scored against where these differ: `cross`, or `[cross,X,Y]`; else None.

    `cross` takes the first two. Raises `InputError` where there are not two, and as `chosen_references` does.
    """
    names = name_list("references", references)
    if names[:1] != ("cross",):
        return None
    chosen = chosen_references(layout, names[1:] or "all")
    if len(chosen) < 2 or len(names) not in (1, 3):
        has = f"{layout.where} has {', '.join(sorted(layout.references))}"
        raise InputError(f"references={list(names)}: one reference is searched, another scores, and {has}; name two")
    return chosen[0], chosen[1]


METRICS, PEOPLE = "official-metrics.tsv", "human.tsv"
HUMAN, STANDARDISED = "human", "score_z"
COMPUTED = ("bleu", "chrf")
YEAR = re.compile(r"wmt(\d\d)")
LETTER = re.compile("[A-Z]")
"""A reference, also one that is not in the folder."""


@dataclass(frozen=True)
class OfficialScores:
    """`tables`: one for each metric that takes part, of the systems that have a score; `unused`: why others do not.

    `named`: the metrics of which the file says that they score against the reference that ours do.
    """

    tables: tuple[TextTable, ...] = ()
    unused: dict[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()


def official_scores(layout: Layout, scoring: str) -> OfficialScores:
    """The scores beside the texts of a folder; `scoring`: the reference that metrics score against.

    COMET carries the year of a campaign (`wmt22`, the folder around), because each year had another model. Raises
    `InputError` for a table without its columns.
    """
    tables: list[TextTable] = []
    unused: dict[str, str] = {}
    found: dict[tuple[Path, str], list[tuple[str, str]]] = {}
    if (path := layout.single(METRICS)) is not None:
        table = read_table(path)
        table.require("system", "metric", "score")
        found |= {(path, one.header[1]): [(row[0], row[1]) for row in one.rows] for one in by_metric(table)}
    if (path := layout.single(PEOPLE)) is not None:
        table = read_table(path)
        table.require("system", STANDARDISED, "kind")
        rows = [(row["system"], row[STANDARDISED]) for row in table.records() if row["kind"] == "system"]
        found[path, HUMAN] = [row for row in rows if row[1].strip().lower() not in MISSING]
        unused |= {name: "not standardised" for name in table.header if name == "score_raw"}
    named: set[str] = set()
    year = YEAR.fullmatch(Path(layout.where).absolute().parent.name)
    for (path, metric), rows in found.items():
        name, why = _taken(metric, layout, scoring)
        if len({system for system, _ in rows}) < len(rows):
            why = "several values of one system"
        if why := why or ("" if rows else f"no system has a {STANDARDISED if metric == HUMAN else 'value'}"):
            unused[metric] = why
            continue
        name = f"{name}-{year[1]}" if year and name == "COMET" else name
        named |= {name} if name != metric else set()
        kept = tuple(row for row in rows if row[1].strip().lower() not in MISSING)
        tables.append(TextTable(str(path), ("system", name), kept, tuple(range(2, 2 + len(kept)))))
    return OfficialScores(tuple(tables), unused, frozenset(named))


def _taken(metric: str, layout: Layout, scoring: str) -> tuple[str, str]:
    """The name of a metric without its reference, and why it takes no part."""
    stem, _, last = metric.rpartition("-")
    reference = last if last in layout.references else last.removeprefix("ref")
    named = bool(stem) and (reference in layout.references or bool(LETTER.fullmatch(reference)))
    if named and reference != scoring:
        return stem, f"against reference {reference}"
    if metric.split("-")[0].lower() in COMPUTED:
        return metric, "clirbench has its own"
    return stem if named else metric, ""


CODE = re.compile("[A-Za-z]{2,3}")
NAMED = {
    "arabic": "ar", "chinese": "zh", "czech": "cs", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr",
    "german": "de", "hindi": "hi", "italian": "it", "japanese": "ja", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "spanish": "es", "swahili": "sw", "turkish": "tr", "ukrainian": "uk",
}  # fmt: skip
PAIR = re.compile(f"({CODE.pattern})-({CODE.pattern})")
WELL_KNOWN = re.compile("ar|cs|da|de|en|es|et|fi|fr|gu|he|hi|hu|is|it|ja|ko|lt|lv|nl|no|pl|pt|ro|ru|sv|tr|uk|zh")
"""Codes that stay as they are."""
NO_LANGUAGE = frozenset(("mis", "mul", "und", "zxx"))
SPECIAL = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh"}
"""Written languages that stemmers, stop lists and tokenisers know by another name."""
BY_CHARACTER = ("ja", "km", "ko", "lo", "my", "th", "zh")
"""Languages that put no space between words, and Korean: a term is a character."""
SAMPLE = 20_000
"""Characters of a text that are read."""
SHORTEST, SURE = 100, 0.95
"""Bytes of letters, and the probability, from which a text tells its language: of 4,820 stretches of 1 to 20 lines of
WMT texts and help pages that are as long and as sure, 2 were wrong."""
PLAIN = ("cs", "de", "en", "es", "fr", "it", "pt", "ru")
LONG, OFTEN, THROUGHOUT, OTHERS = 2_000, 0.008, 0.8, 0.2
"""Characters from which a text is plainly in one of these languages, stop words a byte that are its alone among 33
languages, the share of the text in lines that have one, and how many there are of the next language for each. So are
all 68 English, 16 German, 8 French, 7 Russian texts of ../shared/data, 13 of 19 of the other four, none of 50 in 15
other languages; and 359 of 1,760 mixtures of two, each as the model says."""
CLOSE = 20
"""CLDR's distance of two languages, below which one is easily taken for the other: Croatian and Bosnian have 8,
Norwegian and Danish 12, Ukrainian and Russian 24."""


@dataclass(frozen=True)
class Languages:
    """The languages of a run in ISO 639-1, or in three letters (639-3) where there is no such code.

    `source` is empty where nothing tells it; `known_by`: what tells them, in words.
    """

    source: str
    target: str
    known_by: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}" if self.source else self.target


def language_code(code: str, key: str = "") -> str:
    """`de` of `de`, `deu` and `ger`: ISO 639-1, three letters (ISO 639-3) where a language has no such code.

    Raises `ConfigError`, which begins with `key`, for a code that names no language.
    """
    if WELL_KNOWN.fullmatch(code):
        return code
    from langcodes import Language, standardize_tag, tag_is_valid  # here, because it loads tables that few runs need

    found = standardize_tag(code, macro=True).partition("-")[0] if CODE.fullmatch(code) and tag_is_valid(code) else ""
    if found in NO_LANGUAGE or not found:
        # The language of a country, whose code it may be: cs for cz; `en` of what is no country either.
        meant = Language.get(f"und-{code}").maximize().language if re.fullmatch("[A-Za-z]{2}", code) else "en"
        such = "de, deu or ger" if meant == "en" else meant
        raise ConfigError(f"{key}{code!r} is no language: a code of ISO 639 was expected, such as {such}")
    return SPECIAL.get(found, found)


def language_pair(key: str, pair: str) -> tuple[str, str]:
    """Source and target of `de-en`; raises `ConfigError`, naming `key`, for what is no pair of languages."""
    found = PAIR.fullmatch(pair)
    if found is None:
        words = [NAMED.get(one, one) for one in re.findall("[a-z]+", re.sub("^(..)(..)$", r"\1-\2", pair.lower()))]
        meant = "-".join([*words, "en"][:2])
        meant = meant if PAIR.fullmatch(meant) and len(words) < 3 and meant != "en-en" else "de-en"
        raise ConfigError(f"{key}={pair}: a pair SOURCE-TARGET in ISO 639 codes was expected, such as {key}={meant}")
    codes = list[str]()
    for code in found.groups():
        try:
            codes.append(language_code(code, f"{key}={pair}: "))
        except ConfigError as error:  # the other one may be right
            meant = re.sub(rf"\b{code}\b", str(error).rpartition("such as ")[2].partition(",")[0], pair)
            raise ConfigError(f"{error}; type {key}={meant}") from None
    return codes[0], codes[1]


def language_of(sample: str) -> str:
    """The language that a text is in; empty where it is too short to tell, or in none that can be told."""
    if len("".join(filter(str.isalpha, sample)).encode()) < SHORTEST:
        return ""
    if len(sample) >= LONG and (plain := _plainly(sample)):
        return plain  # as the model says, after half a second of unpacking
    code, probability = _identifier().classify(sample)
    return "" if probability < SURE or code in NO_LANGUAGE else language_code(code)


def _plainly(sample: str) -> str:
    """The language, one of `PLAIN`, whose own stop words are throughout a text; else nothing."""
    own = _own_words()
    lines = [
        (len(line.encode()), [own.get(word) for word in re.findall(r"\w+", line.lower())])
        for line in sample.split("\n")
    ]
    count = Counter(code for _, found in lines for code in found if code)
    (code, n), (_, other) = [*count.most_common(2), ("", 0), ("", 0)][:2]
    size, held = sum(size for size, _ in lines), sum(size for size, found in lines if code in found)
    plain = code in PLAIN and n >= OFTEN * size and held >= THROUGHOUT * size and other <= OTHERS * n
    return code if plain else ""


@cache
def _own_words() -> dict[str, str]:
    """Stop words of one language alone, by the lists of the package stop-words, and its code."""
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    pairs = {(word.lower(), code) for code, name in LANGUAGE_MAPPING.items() for word in get_stop_words(name)}
    return {word: codes[0] for word, codes in by_key(sorted(pairs)).items() if len(codes) == 1}


def contradicts(stated: str, seen: str) -> bool:
    """Whether a text in a language cannot well be in the one that is stated; never for one that nothing recognises."""
    if "" in (stated, seen) or stated == seen:
        return False
    from langcodes import tag_distance

    if stated not in {language_code(code) for code in _identifier().labels if code not in NO_LANGUAGE}:
        return False
    return min(tag_distance(stated, seen), tag_distance(seen, stated)) >= CLOSE


def sample_of(text: Text) -> str:
    """Lines of the first block of a text, evenly spaced: what tells its language."""
    lines = next(text.blocks(), b"").decode("utf-8", "ignore").split("\n")
    return "\n".join(lines[:: max(1, sum(map(len, lines)) // SAMPLE)])[:SAMPLE]


@cache
def _identifier() -> "LanguageIdentifier":
    """py3langid's model of 140 languages: **Source:** Lui and Baldwin 2012, "langid.py"."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
