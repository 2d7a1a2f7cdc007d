"""What a user meant who typed something else: the exact text to type."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path

from clirbench.configuration.keys import BY_NAME, FLAG
from clirbench.configuration.laboratories import config_parts
from clirbench.errors import closest_match

OUTPUT = ("o", "out", "output", "outdir", "output-dir", "output_dir")
"""Options of other programs that name the folder of results."""

ENGINES = {
    "loky": "engine=joblib",
    "threads": "engine=joblib engine.backend=threading",
    "slurm": "engine=dask engine.address=tcp://HOST:PORT, with workers that dask-jobqueue starts",
}
"""How engines that had names of their own are spelled."""


def of_word(words: Sequence[str], place: int, commands: Collection[str]) -> str:
    """What to type in place of a word that is no `key=value`.

    >>> of_word(["check"], 0, ["fetch"])
    'Type check=true'
    """
    word, before = words[place], words[place - 1] if place else ""
    path = Path(word)
    if "=" in before and Path(f"{before.partition('=')[2]} {word}").exists():
        return f"A name with a space is quoted; type '{before} {word}'"
    if tuple(words[place + 1 : place + 2]) == ("=",):
        return f"Type {word}={''.join(words[place + 2 : place + 3])}, without spaces around ="
    if word in BY_NAME:
        return f"Type {word}={'true' if BY_NAME[word].kind == FLAG else 'VALUE'}"
    if path.is_dir():
        return f"Type folder={word}"
    if path.is_file() and path.suffix in (".tsv", ".csv"):
        return f"Type 'scores.tables=[{word}]' 'scores.measures=[COLUMN]'"
    if any((folder / f"{word}.yaml").is_file() for folder in config_parts("experiment")):
        return f"Type +experiment={word}"
    meant = closest_match(word, list(commands)).lstrip()
    return f"{meant} Commands: {', '.join(commands)}. A folder is named by folder=DIR".lstrip()


def of_choice(group: str, name: str) -> str:
    """What to type in place of a file or folder that was given where a group has names of its own, else nothing.

    >>> of_choice("topics", "queries.tsv")
    'topics=tsv topics.path=queries.tsv'
    """
    path = Path(name)
    if not path.suffix and len(path.parts) < 2:
        return ""
    if group == "topics":
        return f"topics={path.suffix[1:] if path.suffix in ('.tsv', '.jsonl') else 'trec'} topics.path={name}"
    if group == "relevance":
        return f"relevance=qrels relevance.path={name} relevance.judged_by=people (or known_items, model, made)"
    if group in ("corpus", "systems"):
        return f"folder={path.parent if path.name == 'systems' else path}"
    return ""


def of_option(option: str, words: Sequence[str]) -> str:
    """What to type in place of an option, such as `--out=DIR` or `--out` before DIR, that there is not.

    words: the whole command line.
    """
    name, _, value = option.lstrip("-").partition("=")
    following = [word for before, word in pairwise(words) if before == option and word[:1] != "-" and "=" not in word]
    value = value or "".join(following[:1])
    if name in OUTPUT:
        return f"type hydra.run.dir={value or 'DIR'}"
    if key := BY_NAME.get(name):
        return f"type {name}={value or ('true' if key.kind == FLAG else 'VALUE')}"
    return "settings are key=value, such as folder=DIR; clirbench --help lists the options"
