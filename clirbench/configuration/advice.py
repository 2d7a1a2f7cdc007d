"""What a user meant who typed something else: the exact text to type; and what he writes, as Hydra must read it."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from shlex import quote, split as shlex_split

import yaml

from clirbench.checks import pointed
from clirbench.configuration.laboratories import CONF, choices, is_measure, parse
from clirbench.errors import ConfigError, UnknownName, closest, closest_match
from clirbench.files.kinds import TOPICS, kind_of, texts_around, to_type
from clirbench.keys import BY_NAME, FLAG, NAMES, NODES, PAIRS, SECTIONS, TEXT, key_of, keys_of
from clirbench.text import near_path, whole_text

OUTPUT = ("o", "out", "output", "outdir", "output-dir", "output_dir")
"""Options of other programs that name the folder of results."""
OPTIONS = ("help", "version", "quiet", "json")
"""Options of this program that others call by one letter, or by a word."""

BY_ITSELF = re.compile(r"(reference(-\w+)?|source)\.txt(\.gz)?|(docs|systems|official-metrics|human)\.tsv")
"""Files of a folder that need not be named."""
GLUED = re.compile(r"[,;&]\s*(?=[a-z_]+(?:\.\w+)*=)")
COMPONENTS = ("retrieval", "topics", "relevance", "systems", "engine", "corpus")
"""Groups of which a run has one component each."""
OF_HYDRA = ("hydra.run.dir", "hydra.sweep.dir", "hydra.searchpath")
OF_SACREBLEU = {
    "bleu": "BLEU", "ter": "TER", "chrf": "chrF2", "chrF": "chrF2", "chrf++": "chrFpp", "chrF++": "chrFpp",
    "chrF2++": "chrFpp", "sacrebleu": "BLEU",
}  # fmt: skip
"""Names of metrics in sacreBLEU's options and signatures, and those of our YAML."""
LISTED = ("metric", "measures")
ONE_SIDE = re.compile(r"(source|src|target|tgt|trg)[_-]?lang(uage)?")
KNOWN_BY = re.compile(r"^# Known by: (.*)", re.M)
OPEN = re.compile(r"scores\.(?:rename|reference)\.")
"""Keys within keys whose value is a mapping."""


def of_word(words: Sequence[str], place: int, commands: Collection[str]) -> str:
    """What to type in place of a word that is no `key=value`.

    >>> of_word(["check"], 0, ["fetch"])
    'Type check=true'
    """
    word, before, path = words[place], words[place - 1] if place else "", Path(words[place])
    following = _bare(words[place + 1 :]) or ["VALUE"]
    if "=" in before and Path(f"{before.partition('=')[2]} {word}").exists():
        return f"A name with a space is quoted; type '{before} {word}'"
    if before.count("[") > before.count("]"):
        meant = re.sub("[ ,]+", ",", " ".join(words[place - 1 :]).partition("]")[0])
        return f"A list has no space: type '{meant}]'"
    if tuple(words[place + 1 : place + 2]) == ("=",):
        return f"Type {word}={''.join(words[place + 2 : place + 3])}, without spaces around ="
    if word.lstrip("+") in (*BY_NAME, *NODES) or word.partition(".")[0] in NODES:
        folder = f"clirbench {following[0]} " if BY_NAME.get(word) and _is_folder(Path(following[0])) else ""
        return f"Type {folder}{_set(word, *following)}"
    if (pair := word.partition(":"))[0] in (*BY_NAME, *NODES):
        return f"Type {_set(pair[0], pair[2])}"
    if word in OPTIONS:
        return f"Type clirbench --{word}"
    if word in commands:
        return f"A command comes first: type clirbench {word} {' '.join(words[:place]).removeprefix('folder=')}"
    key = key_of(before)
    takes = key not in BY_NAME or (BY_NAME[key].kind == TEXT and not BY_NAME[key].more)
    if "=" in before and takes and not path.exists():
        return f"A text with a space is quoted; type '{before} {word}'"
    if _is_folder(path):
        several = "A run is of one folder: run each, then type clirbench pool RUN RUN"
        return several if any(one.startswith("folder=") for one in words[:place]) else f"Type folder={word}"
    if path.is_file():
        if path.suffix in (".xlsx", ".xls", ".zip"):
            whole_text(path)  # which says what it is
        if meant := to_type(path, kind_of(path) or ("table" if path.suffix in (".tsv", ".csv") else "")):
            return f"Type {meant}"
        if (path.parent / "provenance.json").is_file():
            return f"It is a file of a run, whose page is {path.parent}/report.html"
        around = texts_around(path) or "DIR"
        reader = next(_readers(path.parent, path), "")
        return f"It is a file, no folder; type {f'corpus={reader} folder={word}' if reader else f'clirbench {around}'}"
    if word in choices("experiment"):
        return f"Type +experiment={word}"
    if closest(word, (*choices("metric"), *OF_SACREBLEU), 1):
        return f"Type {_set('metric', *_bare(words[place:]))}"
    if meant := elsewhere(word):
        return f"Type {meant}"
    if word == Path.cwd().name and any(Path().glob("reference*")):
        return f"This is {word}: type clirbench ."
    near = f" Type clirbench {one}." if _is_folder(one := near_path(path)) else closest_match(word, [*commands])
    return f"{near} Commands: {', '.join(commands)}. A run: clirbench DIR".lstrip()


def elsewhere(word: str, *values: str) -> str:
    """What to type for a word of other programs, and its values; nothing for another word.

    >>> elsewhere("n_jobs", "4")
    'engine.workers=4'
    """
    word = word.lower().replace("_", "-")
    found = next((meant for meant, words in _table("elsewhere", word).items() if word in words.split()), "")
    return re.sub(r"(\S+)=VALUE", lambda key: _set(key[1], *values), found)


def _table(name: str, word: str = "") -> dict[str, str]:
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)) if not word or word in text.split() else {}  # most keys are ours


def _bare(words: Sequence[str]) -> list[str]:
    """The words up to the first that is an option, a setting, or (but for the first) a folder."""
    bare = takewhile(lambda one: one[1][:1] != "-" and "=" not in one[1], enumerate(words))
    return [word for _, word in takewhile(lambda one: not (one[0] and _is_folder(Path(one[1]))), bare)]


def _set(name: str, *values: str) -> str:
    """What to type to give a key these values, each as it is spelled here; a measure among metrics has its own key.

    >>> _set("metric", "bleu", "CHRF2", "MAP")
    "'metric=[BLEU,chrF2]' 'measures=[MAP]'"
    """
    value, key = next(iter(values), "") or "VALUE", name.lstrip("+")
    if number := as_number(key, value):
        return f"{name}={number}"
    kind = NAMES if key == "metric" else BY_NAME[key].kind if key in BY_NAME else ""
    if kind == FLAG:
        return f"{name}={'false' if value == 'false' else 'true'}"
    if key == "languages":
        return f"{name}={_pair('-'.join(values))}"
    if key == "analyzer" and (code := _code(value)):
        return f"analyzer=language analyzer.code={code}"
    if "(" in value or value == "VALUE" or not (kind == NAMES or (kind == "" and (values[1:] or choices(key)))):
        return f"{name}={value}"
    if Path(value).suffix and (meant := _of_file(key, Path(value))):
        return meant
    sides, files = dict[str, list[str]](), choices("metric")
    for one in (_spelled(key, one) for one in re.split(r",\s*", ",".join(values).strip("\"'").strip("[]"))):
        side = "metric" if one in files else "measures" if is_measure(one) else name
        sides.setdefault(side if key in LISTED else name, []).append(one)
    several = value[:1] == "[" or sum(map(len, sides.values())) > 1
    said = [f"'{side}=[{','.join(of)}]'" if several else f"{side}={of[0]}" for side, of in sides.items()]
    read = [one for one in sides.get("metric", ()) if one in files and "\n  path: null" in files[one].read_text()]
    return " ".join([*said, *(f"metric.{one}.path=FILE" for one in read)])


def other_names(key: str, name: str) -> str:
    """What to type for a metric or measure whose name is several names, or one of the other key; else nothing."""
    spelled = [_spelled(key, one) for one in re.split(r"[,+;|/\s]+", name) if one]
    metrics = [one in choices("metric") for one in spelled]
    known = all(metric or is_measure(one) for one, metric in zip(spelled, metrics, strict=True))
    return _set(key, f"[{','.join(spelled)}]") if known and metrics != [key == "metric"] else ""


def _spelled(key: str, name: str) -> str:
    """A name as the choice of a key is spelled that it is close to; itself where it is close to none."""
    meant, known = "", {one: one for one in choices("metric" if key in LISTED else key)}
    known |= OF_SACREBLEU if key in LISTED else {}
    help_ = BY_NAME[key].help if key in BY_NAME else ""
    known |= {one: one for one in re.findall(r"\w{4,}", help_) if "..." in help_}
    if key in LISTED and name not in known:
        try:
            return parse(name).name
        except ConfigError as error:
            meant = getattr(error, "meant", "")
    return known.get(closest(name, [*known], 0.65)) or meant or name


def _pair(value: str) -> str:
    """`ger-en` for `ger`: the pair of languages that is meant."""
    from clirbench.corpora.layout import language_pair  # here, because what it loads takes time

    try:
        return "-".join(language_pair("languages", value))
    except ConfigError as error:
        return str(error).rpartition("languages=")[2]


def _code(name: str) -> str:
    """`de` for `german`; nothing for what is no name of a language."""
    from clirbench.corpora.layout import NAMED  # as in `_pair`

    return NAMED.get(name.lower(), "")


def _readers(folder: Path, *files: Path) -> Iterator[str]:
    """The corpora whose configuration says `# Known by: GLOB` of files of a folder or its `data`, or of these files."""
    for name, path in choices("corpus").items():
        for found in KNOWN_BY.findall(path.read_text(encoding="utf-8")):
            if any(file.match(found) for file in files or [*folder.glob(found), *folder.glob(f"data/{found}")]):
                yield name


def of_options(options: Sequence[str], words: Sequence[str]) -> str:
    """What to type in place of options, such as `--out=DIR` or `--out` before DIR, that there are not: the whole
    command where each is a setting.

    words: the whole command line.
    """
    mended, said, at, folder = list[str](), list[str](), 0, ""
    while at < len(words):
        word, at = words[at], at + 1
        if word not in options:
            folder = folder or texts_around(word)
            mended += [] if Path(word).is_file() and folder else [quote(word)]
            continue
        name, _, value = word.lstrip("-").partition("=")
        values = [value] if value else _bare(words[at:])
        at += 0 if value else len(values)
        meant = _of_option(name, values, any("topics" in one for one in words))
        said.append(f"type {meant}")
        if meant[:10] == "clirbench " and _is_folder(Path(meant[10:])):
            folder = meant[10:]
        else:
            mended.append(meant)
    if folder and folder not in mended[:1]:
        mended.insert(0, folder)
    if "" in mended or not said:
        return "settings are key=value, such as folder=DIR; clirbench --help lists the options"
    rest = [one for one in shlex_split(" ".join(mended[1:])) if one != folder]
    settings = all(one[:2] == "--" or ("=" in one and "VALUE" not in one) for one in rest)
    return f"type clirbench {' '.join(mended)}" if settings else ", ".join(dict.fromkeys(said))


def _of_option(name: str, values: Sequence[str], topics: bool) -> str:
    """What to type in place of an option of other programs; `topics`: whether topics are named beside it."""
    if inside := next((one for value in values if (one := texts_around(value))), ""):
        return f"clirbench {inside}"
    if len(values) == 1 and name not in OUTPUT and (meant := to_type(Path(values[0]))):
        return meant.replace(" topics=trec topics.path=FILE", "") if topics else meant
    if meant := elsewhere(name, *values):
        return meant
    if known := [one for one in OPTIONS if one.startswith(name) and not values]:
        return f"--{known[0]}"
    meant = _meant("measures" if name == "measure" else name.replace("-", "_"), *values)
    return meant.removeprefix("Type ") if meant[:4] == "Type" else ""


def _is_folder(path: Path) -> bool:
    with suppress(OSError):  # a name that is too long, before Python 3.12
        return path.is_dir()
    return False


def names_folder(word: str) -> bool:
    """Whether the first argument is DIR: a folder, or what has the form of a path and is no file."""
    first, separator, _ = word.partition(os.sep)
    path = Path(word)
    return "=" not in first and (_is_folder(path) or (separator != "" and "=" not in word and not path.is_file()))


def wrong_choice(group: str, name: str, known: Sequence[str], named: Sequence[str] = ()) -> ConfigError:
    """An error for a name that a group does not have, with what to type where it is something else.

    named: all names that were given.

    >>> print(wrong_choice("topics", "queries.tsv", []))
    topics=queries.tsv: is no name of topics; type topics=tsv topics.path=queries.tsv
    """
    path, spelled = Path(name), [_spelled(group, str(one)) for one in named or (name,)]
    every = ",".join(map(str, named)) or name
    near = near if (near := _spelled(group, name)) in known else closest(name, known, 0.75)
    meant = "" if closest(name, known, 0.9) else elsewhere(name, "4" if group == "engine" else "")
    if group == "metric" and (listed := other_names(group, name)):
        meant = listed
    elif group == "analyzer" and "code" in (coded := _set(group, name)):
        meant = coded
    elif path.suffix or len(path.parts) > 1:
        meant = _of_file(group, path)
    elif group in ("experiment", "corpus") and _is_folder(found := path if _is_folder(path) else near_path(path)):
        meant = f"folder={found}"
    elif group in LISTED and not meant and len(spelled) > 1 and {*spelled} <= {*known}:
        name, meant = every, _set(group, *spelled)
    if meant:
        return ConfigError(f"{group}={repr(name) if {*name} & {*', '} else name}: is no name of {group}; type {meant}")
    if not near and (beside := _table("beside").get(group)):
        said = str(UnknownName(group, every, known)).replace(closest_match(every, known), "")
        return ConfigError(said.replace("'.", f"'; {beside.replace('NAMES', every)}.", 1))
    return UnknownName(group, name, known, near)


def _of_file(group: str, path: Path) -> str:
    """What to type where a file or folder is named in the place of a choice of a group, or of a key: by what it holds,
    or by its name."""
    if meant := to_type(path):
        return meant
    kind = path.suffix[1:] if path.suffix in (".tsv", ".jsonl") else "trec"
    folder = f"folder={path.parent if path.name == 'systems' else path}"
    ways = {"topics": to_type(path, kind), "relevance": to_type(path, "qrels")}
    return ways.get(group, folder if group in ("corpus", "systems", "experiment") else "")


def unknown_keys(overrides: Sequence[str], groups: Collection[str] = ()) -> Iterator[ConfigError]:
    """An error for each key that overrides (`+key=value`) would add and that a run does not have.

    groups: further keys that hold components, those of laboratories.
    """
    known, nodes = {*BY_NAME, *SECTIONS}, {"", *NODES, *groups}
    sides = {key_of(one)[:1]: one.partition("=")[2] for one in overrides if ONE_SIDE.fullmatch(key_of(one))}
    if len(sides) == 2:
        pair = "-".join(sides[side] for side in sorted(sides))  # source before target
        overrides = [one for one in overrides if not ONE_SIDE.fullmatch(key_of(one))]
        yield ConfigError(f"languages are one key; type {_set('languages', pair)}")
    for override in overrides:
        value = override.partition("=")[2]
        name = key_of(override).partition("@")[0].replace("/", ".")
        if len(apart := GLUED.split(override)) > 1 and not {*value} & {*"[({'\""}:
            raise ConfigError(f"{override}: settings have a space between them; type {' '.join(apart)}")
        if (name in (*SECTIONS, "references") or name not in known) and BY_ITSELF.fullmatch(Path(value).name):
            letter = re.search(r"reference-(\w+)", value)
            left = f"leave {override} out: clirbench {texts_around(value) or 'DIR'}"
            meant = f"type references={letter[1]}" if letter and name == "references" else left
            if "." not in name:
                yield ConfigError(f"{override}: {Path(value).name} in the folder is read unasked; {meant}")
        elif override.startswith("~") and name in known:
            yield ConfigError(f"{override}: a key of a run cannot be taken away; give it another value")
        elif name == "output" and f"output.{value}" in BY_NAME:
            yield ConfigError(f"{override}: is no single value; type {_set(f'output.{value}', '')}")
        elif name in OUTPUT and not value.startswith("{"):
            yield ConfigError(f"{override}: is no key of one value; type hydra.run.dir={value or 'DIR'} for the folder")
        elif name in SECTIONS and not value.startswith(("{", "$")):
            meant = f"type 'scores.tables=[{value}]'; " if name == "scores" and "." in value else ""
            having = [key for key in keys_of(name) if value in re.findall(r"\w+", BY_NAME[key].help)]
            having = having or keys_of(name)[: value.isdigit() and len(keys_of(name)) == 1]
            meant = f"type {_set(having[0], value)}; " if having else meant
            yield ConfigError(f"{override}: is no single value; {meant}its keys are {', '.join(keys_of(name))}")
        elif not (name in known or OPEN.match(name)) and (meant := elsewhere(name, value)):
            yield ConfigError(f"{override}: there is no key {name!r}. Type {meant}")
        elif not (name in known or name.partition(".")[0] in nodes or OPEN.match(name)):
            yield ConfigError(f"{override}: there is no key {name!r}. {_meant(name, value)}")


def _meant(name: str, *values: str) -> str:
    """The key to type in place of one that there is not."""
    top, last = name.partition(".")[0], name.rpartition(".")[2]
    if top in SECTIONS:
        there = keys_of(top)
        return f"{closest_match(name, there).lstrip()} Keys there: {', '.join(there)}".lstrip()
    nested = [f"{group}.{key}" for group in COMPONENTS for key in component_keys(group)]
    if flat := [known for known in (*BY_NAME, *nested) if known.replace(".", "_") == name]:
        return f"Type {_set(flat[0], *values)}"
    nested = [known for known in nested if known.endswith(f".{last}")]
    groups = [group for group in COMPONENTS if values and values[0] in choices(group)]
    if len(groups) == 1 and top == name:
        return f"Type {groups[0]}={values[0]}"
    places = [known for known in BY_NAME if known.endswith(f".{last}")] + nested
    node = closest(top, NODES, 0.7) + name.removeprefix(top)  # the part that is misspelled alone is mended
    close = closest(name, (*BY_NAME, *(NODES if top == name else ())), 0.65 if not places else 0.8)
    meant = [node] if top != name and node in nested else [close] if close else places
    return f"Type {' or '.join(_set(key, *values) for key in meant)}" if meant else "clirbench --cfg job lists all keys"


def component_keys(group: str) -> set[str]:
    """The keys of all components of a group: `k1`, `b`, ... of retrieval."""
    return {key for path in choices(group).values() for key in _keys_in(path)}


def _keys_in(path: Path) -> list[str]:
    return re.findall(r"^([a-z]\w*):", path.read_text(encoding="utf-8"), re.M)


def refusal(error: BaseException) -> ConfigError:
    """What Hydra says, but not its advice to add a key that a run does not have."""
    text = " ".join(str(error).split())
    if found := re.match(r"Could not override '([^']+)'", text):
        where, _, last = found[1].rpartition(".")
        known = [f"{where}.{key}" for key in sorted(component_keys(where))] if where in COMPONENTS else []
        if where.startswith("hydra"):
            return ConfigError(f"there is no key {found[1]!r}.{closest_match(found[1], OF_HYDRA)}")
        top, _, below = where.partition(".")
        if below and top in COMPONENTS and last in component_keys(top):
            return ConfigError(f"there is no key {found[1]!r}; type {top}.{last}=VALUE")
        if top == "metric" and below in choices(top):
            return ConfigError(f"{found[1]}: {below} takes no part; add it, 'metric=[{below},...]'")
        if having := [name for name, path in choices(where).items() if known and last in _keys_in(path)]:
            meant = " or ".join(f"{where}={name}" for name in sorted(having))
            return ConfigError(f"{found[1]}: what this run has for {where} has no such key; add {meant}")
        shown = f"all keys of {where}: {', '.join(known)}; " if known else ""
        meant = f"there is no key {found[1]!r}.{closest_match(found[1], known)}"
        missing = f"{meant} {shown or 'What is chosen there does not have it; '}"
        return next(unknown_keys([found[1]]), ConfigError(f"{missing}'--cfg job -p {where}' shows its keys"))
    if found := re.match(r"Error merging override (\S+?)=", text):
        key = BY_NAME.get(found[1].lstrip("+"))
        meant = f" must be {key.kind}: {key.help}" if key else ": a value of another kind belongs there"
        return ConfigError(text.removeprefix("Error merging override ") + meant)
    if found := re.match(r"Could not delete '([^']*)'", text):
        return ConfigError(f"~{found[1]}: nothing of that name can be taken away; an empty list is {found[1]}=[]")
    if found := re.match(r"Ambiguous value for argument '([^=']+)=([^']*)'", text):
        name, values = found.groups()
        meant = f"type {_set(name, *values.split(','))}"
        if name.endswith("title"):
            meant = f"""a text with a comma is quoted twice; type '{name}="{values}"'"""
        elif number := as_number(name, values):
            meant = f"a number has a point; type {name}={number}"
        elif name in COMPONENTS or (name in BY_NAME and BY_NAME[name].kind != NAMES and name != "languages"):
            meant = f"{name} takes one; type {name}={values.partition(',')[0]}"
        return ConfigError(f"{name}={values} has several values: {meant}; with --multirun each is a run of its own")
    said = re.sub(r" (To append|Config search path:) .*", "", text)
    return ConfigError(f"the configuration cannot be put together: {said}")


def as_number(name: str, value: str) -> str:
    """The number that a text with a comma or % is meant as, where a key takes one; else nothing.

    >>> as_number("retrieval.k1", "1,2"), as_number("topics.n", "1,000"), as_number("correlation.alpha", "5%")
    ('1.2', '1000', '0.05')
    """
    group, _, last = name.rpartition(".")
    files = [path.read_text(encoding="utf-8") for path in choices(group).values()] if group in COMPONENTS else []
    default = [found[1] for text in files if (found := re.search(rf"^{last}: (-?[\d.]+|null)\b", text, re.M))]
    kind = BY_NAME[name].kind if name in BY_NAME else ""
    whole = "whole" in kind or (default and all("." not in one for one in default))
    return pointed(value, bool(whole)) if default or "number" in kind else ""


PLAIN = re.compile(r"[\w.@+/*-]+")
BEYOND = re.compile(r"""(?=.*[^\x00-\x7f])[^"'\\\[\](){}=,$]*""")
"""A text with letters beyond English ones, which Hydra's grammar takes in quotes alone."""


def spell_for_hydra(argument: str) -> str:
    """The argument as Hydra must read it: its grammar refuses `~/x`, and nothing else would expand it."""
    key, equals, value = argument.partition("=")
    key = re.sub(r"^([+~]*retrieval@also)(?=\.|$)", r"\1_retrieval", key)  # `also` holds judgments
    key = re.sub(r"^(experiment|measure)$", r"+\1", key)  # groups of which nothing is chosen by default
    if key.lstrip("+") == "metric":
        value = re.sub(r"[\w+]+", lambda found: OF_SACREBLEU.get(found[0], found[0]), value)
    bare = value.strip("\"'")
    if bare.startswith("~/") or bare == "~":
        return f'{key}="{Path(bare).expanduser()}"'
    return f'{key}="{value}"' if BEYOND.fullmatch(value) else key + equals + value


def mentioned_experiment(overrides: Sequence[str]) -> str:
    """The experiment that overrides speak of where they name none."""
    if any(override.startswith(("folder=", "corpus=")) for override in overrides):
        return "folder"
    return "scores" if any(override.startswith("scores.tables=") for override in overrides) else "demo"


def refuse_twice(overrides: Sequence[str]) -> None:
    """Raise `ConfigError` for one metric or measure after another: the first would be dropped in silence."""
    for key in LISTED:
        values = dict.fromkeys(one.partition("=")[2] for one in overrides if key_of(one) == key)
        if len(values) > 1 and all(map(PLAIN.fullmatch, values)):
            raise ConfigError(f"{' '.join(f'{key}={one}' for one in values)}: type {_set(key, ','.join(values))}")


def unplaced(overrides: Sequence[str]) -> Iterator[ConfigError]:
    """An error for a folder of another layout, and a file of topics or judgments, whose reader no override names."""
    said = {key_of(one).partition("@")[0]: one.partition("=")[2].strip("\"'") for one in overrides}
    folder = Path(said.get("folder", ""))
    if folder.is_dir() and not {"corpus", "experiment"} & {*said} and not any(folder.glob("reference*")):
        for name in _readers(folder):
            yield ConfigError(f"folder={folder}: its files have a reader of their own; add corpus={name}")
    topics, judged = (said.get(key, "") for key in ("topics.path", "relevance.path"))
    if kind_of(Path(topics)) == "qrels" and kind_of(Path(judged)) in TOPICS:
        meant = f"type {to_type(Path(judged))} relevance.path={topics}"
        yield ConfigError(f"topics.path={topics} relevance.path={judged}: are changed over; {meant}")
    for group in ("topics", "relevance") if "experiment" not in said else ():
        path = said.get(f"{group}.path", "")
        if path and group not in said and (meant := _of_file(group, Path(path))):
            yield ConfigError(f"{group}.path={path}: nothing says how it is read; type {meant}")


def refuse_demo_beside_data(words: Sequence[str]) -> None:
    """Raise `ConfigError` where the demo would run because nothing is named, in a folder of MT outputs or with
    judgments of other documents."""
    said = {"experiment" if one[0] == "-" else key_of(one).partition("@")[0] for one in words}
    if said & {"experiment", "folder", "corpus", "scores.tables", "hydra.searchpath"}:
        return
    if any(Path().glob("reference*")) and Path("systems").is_dir():
        raise ConfigError("no folder is named, and this one has MT outputs: type clirbench . (or +experiment=demo)")
    if "relevance.path" in said:
        raise ConfigError(f"no folder is named whose texts are judged: type clirbench DIR {' '.join(words)}")


def how_to_quote(override: str) -> str:
    """What to type in place of an override whose value Hydra's grammar cannot read; in a list each item is quoted.

    >>> print(how_to_quote("measures=[MAP,RBO(p=0.9)]").rpartition(": ")[2])
    'measures=[MAP,"RBO(p=0.9)"]'
    """
    key, _, value = re.sub(r"=\((.*)\)$", r"=[\1]", override.replace("==", "=", 1)).partition("=")
    value = re.sub(r"(=\d+),(\d)", r"\1.\2", value)  # p=0,9
    value = re.sub(r"\{(\w+)\}", r"%\1%", value) if key.endswith("pattern") else value
    if (missing := value.count("[") - value.count("]")) > 0:
        return f"A bracket is not closed; type '{override}{']' * missing}'"
    if key in BY_NAME and BY_NAME[key].kind not in (TEXT, NAMES, PAIRS):
        return f"It is {BY_NAME[key].kind}; type {_set(key, re.split('[^0-9.]', value)[0] or 'VALUE')}"
    quoted = f'"{value}"'
    if value.startswith("[") and value.endswith("]"):
        value = value.replace(";", ",")
        found = re.findall(r""" *"[^"]*"| *'[^']*'|(?:\([^()]*\)|[^,()"'])+""", value[1:-1])
        items = [re.sub(r"^RBO\((?=[\d.])", "RBO(p=", item.strip().strip("\"'")) for item in found if item.strip()]
        quoted = f"[{','.join(item if PLAIN.fullmatch(item) else f'{chr(34)}{item}{chr(34)}' for item in items)}]"
    said = "A value with = , ( ) { } [ ] : or a space in it is quoted inside the shell's quotes"
    return f"{said}: '{key}={quoted}'"


VALUE = r"""\[[^\]]*\]|'[^']*'|"[^"]*"|[\w~./+-][^\s,;'":)]*"""
SETTING = re.compile(
    rf"""'(?P<whole>[a-z_]+[\w.]*=[^']*)'|(?<![\w.])(?P<key>[a-z_]+(?:\.\w+)*)(?:=(?P<value>{VALUE}))?"""
)
TYPED = {"true": "True", "false": "False", "null": "None", "None": "None"}


def in_python(text: str) -> str:
    """What a message says of settings, as Python has them.

    >>> in_python("topics.n=0 must be a whole number; type 'measures=[MAP,nDCG]' relevance.path=q.txt")
    'topics__n=0 must be a whole number; type measures=["MAP", "nDCG"] relevance__path="q.txt"'
    >>> in_python("rename it ('scores.rename={OLD: NEW}')")
    'rename it (scores__rename={"OLD": "NEW"})'
    """
    text = re.sub(r"(type |: |')clirbench (\S*[^\s';.])(?=[';.]|\s*$)", r'\1cb.run("\2")', text)
    return SETTING.sub(_in_python, re.sub(r"; '--cfg job -p \w+' shows its keys", "", text))


def _in_python(found: re.Match[str]) -> str:
    key, _, value = (found["whole"] or found[0]).partition("=")
    top, _, last = key.partition(".")
    known = key in BY_NAME or (top in NODES and (not last or last in component_keys(top) or top == "metric"))
    if not known or not (value or last):
        return found[0]
    return key.replace(".", "__") + (f"={_value(value)}" if value else "")


def _value(text: str) -> str:
    if "..." in text or (text[:1] == "[" and "(" in re.sub(r'"[^"]*"', "", text)):  # objects, as Python writes them
        return text
    if text.startswith("{"):
        return re.sub(r'([{:,]\s*)([^{}:,"]+?)(?=\s*[:,}])', r'\1"\2"', text)
    if text.startswith("["):
        items = re.findall(r'"[^"]*"|[^,]+', text[1:-1])
        return f"[{', '.join(map(_value, map(str.strip, items)))}]"
    bare = text.strip("\"'")
    return TYPED.get(bare) or (bare if re.fullmatch(r"-?[\d.]+", text) else f'"{bare}"')
