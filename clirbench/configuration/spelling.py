"""What a user writes, as Hydra must read it: the home folder, printed names of metrics, the experiment meant."""

import re
from collections.abc import Sequence
from pathlib import Path

PLAIN = re.compile(r"[\w.@+/*-]+")
HOME = re.compile(r"(?P<key>[+~]*[\w.@/]+)=(?P<quote>[\"']?)~(?P<rest>/.*|)")
BEYOND = re.compile(r"""(?=.*[^\x00-\x7f])[^"'\\\[\](){}=,$]*""")
"""A text with letters beyond English ones, which Hydra's grammar takes in quotes alone."""
PRINTED = re.compile(r"""["']?(?P<name>[\w-]+(?:\+\+|\+1|\(nltk\)))["']?""")


def spell_for_hydra(argument: str, metrics: Sequence[Path]) -> str:
    """The argument as Hydra must read it; `metrics`: the folders with one NAME.yaml for each metric."""
    key, equals, value = at_home(argument).partition("=")
    key = re.sub(r"^([+~]*retrieval@also)(?=\.|$)", r"\1_retrieval", key)  # `also` holds judgments
    key = re.sub(r"^(experiment|measure)$", r"+\1", key)  # groups of which nothing is chosen by default
    if key == "metric":
        value = PRINTED.sub(lambda found: choice_of(found["name"], metrics) or found[0], value)
    return f'{key}="{value}"' if BEYOND.fullmatch(value) else key + equals + value


def choice_of(printed: str, metrics: Sequence[Path]) -> str | None:
    """`chrFpp` for the name that tables print, `chrF++`; None for a name that no metric prints."""
    line = f"  name: {printed}\n"
    paths = (path for folder in metrics for path in sorted(folder.glob("*.yaml")))
    return next((path.stem for path in paths if line in path.read_text("utf-8")), None)


def at_home(argument: str) -> str:
    """`key=~/x` with the home folder in it: Hydra's grammar refuses the tilde, and nothing else would expand it."""
    found = HOME.fullmatch(argument)
    if found is None:
        return argument
    rest = found["rest"].removesuffix(found["quote"]) if found["quote"] else found["rest"]
    return f'{found["key"]}="{Path.home()}{rest}"'


def mentioned_experiment(overrides: Sequence[str]) -> str:
    """The experiment that overrides speak of where they name none."""
    if any(override.startswith(("folder=", "corpus=")) for override in overrides):
        return "folder"
    return "scores" if any(override.startswith("scores.tables=") for override in overrides) else "demo"


def with_quotes(override: str) -> str:
    """An override whose value Hydra's grammar cannot read, with that value in quotes; in a list each item.

    >>> print(with_quotes("measures=[MAP,RBO(p=0.9)]"), with_quotes("folder=/a,b/c"))
    measures=[MAP,"RBO(p=0.9)"] folder="/a,b/c"
    """
    key, _, value = override.partition("=")
    if not (value.startswith("[") and value.endswith("]")):
        return f'{key}="{value}"'
    items = re.findall(r"(?:\([^()]*\)|[^,()])+", value[1:-1])
    return f"{key}=[{','.join(item if PLAIN.fullmatch(item) else _quoted(item) for item in items)}]"


def _quoted(item: str) -> str:
    return '"' + item.strip().strip("\"'") + '"'
