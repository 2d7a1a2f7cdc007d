"""What the scripts share: settings, errors on stderr, batches of lines."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any

LOADED = "CLIRBENCH_LOADED"
BATCHES, AT_ONCE = 32, 1000
HINT = "a smaller batch_size needs less memory; max_source_tokens, max_tokens and tokenizer must suit the model"
Work = Callable[[Sequence[str]], Iterable[str]]


class ScriptError(Exception):
    """What a user can mend, in words."""


def main(about: Callable[[Any], str], work: Callable[[Any], Work]) -> None:
    """Run a script: `about(settings)` says what it is; `work(settings)` loads it and gives a function of lines.

    That function gets many batches (`batch_size` lines each) at a time, so that it can put lines of like length
    together, or ask for several at once; and what is there when an empty line comes, which is answered by an empty one.
    """
    try:
        settings = json.loads(sys.argv[-1])
        if "--about" in sys.argv:
            print(about(settings))
            return
        size = settings.get("batch_size") or settings.get("batch_lines")
        make, most = work(settings), BATCHES * size if size else AT_ONCE
        if place := os.environ.get(LOADED):
            with Path(place).open("a", encoding="ascii") as stream:  # a chain may hold several scripts
                stream.write(f"{time.process_time()}\n")
        lines = (line.decode("utf-8").removesuffix("\n") for line in sys.stdin.buffer)
        while batch := list(_until_empty(islice(lines, most))):
            full = [line for line in batch if line]
            for written in chain(make(full) if full else (), [line for line in batch if not line]):
                sys.stdout.buffer.write(written.replace("\n", " ").encode("utf-8", "replace") + b"\n")
                sys.stdout.buffer.flush()
    except ScriptError as error:
        sys.exit(str(error))


def _until_empty(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if not line:
            return


def need(extra: str, *libraries: str) -> None:
    """Fail where a library is not installed."""
    if missing := [library for library in libraries if find_spec(library) is None]:
        raise ScriptError(f"{', '.join(missing)}: not installed; in clirbench's checkout type pip install '.[{extra}]'")


def released(*libraries: str) -> str:
    """The libraries with their versions."""
    try:
        return " ".join(f"{library}-{version(library)}" for library in libraries)
    except PackageNotFoundError as error:
        raise ScriptError(str(error)) from None


def whole(settings: Mapping[str, Any], **least: int) -> None:
    """Fail for a setting that is no whole number of at least its number."""
    for name, bound in least.items():
        if type(settings[name]) is not int or settings[name] < bound:
            raise ScriptError(f"{name}={settings[name]!r} must be a whole number of at least {bound}")


def chosen(settings: Mapping[str, Any], name: str, *choices: str) -> None:
    """Fail for a setting that is none of its choices."""
    if settings[name] not in choices:
        raise ScriptError(f"{name}={settings[name]!r} is not one of {', '.join(choices)}")


def folder(settings: Mapping[str, Any], name: str) -> Path:
    """The folder that a setting names."""
    if not settings.get(name):
        raise ScriptError(
            f"{name}: the folder of a model on this machine was expected, such as systems.model='/exp/ckpt_%step%'"
        )
    if not (path := Path(settings[name])).is_dir():
        raise ScriptError(f"{path}: no such folder; a model's folder on this machine was expected")
    return path


def files(settings: Mapping[str, Any], weights: str, own: Sequence[tuple[str, str]]) -> list[Path]:
    """[weights, tokenizer]: in the setting `folder`, `weights` and tokenizer.json; else `own`: (package, pattern).

    Packages are found, not imported. Fails where a pattern does not fit one file.
    """
    if settings.get("folder"):
        asked = [(Path(settings["folder"]), pattern) for pattern in (weights, "tokenizer.json")]
    else:
        specs = ((find_spec(package), pattern) for package, pattern in own)
        asked = [(Path(((spec and spec.submodule_search_locations) or [""])[0]), pattern) for spec, pattern in specs]
    for place, pattern in asked:
        if (n := len(list(place.glob(pattern)))) != 1:
            raise ScriptError(f"{place}: {n} files {pattern}; an encoder has one")
    return [next(place.glob(pattern)) for place, pattern in asked]


def splitter(file: Path) -> Any:
    """The tokenizer of a tokenizer.json, which neither pads nor cuts."""
    from tokenizers import Tokenizer

    try:
        known = Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise ScriptError(f"{file}: no tokenizer that can be read ({error})") from None
    known.no_padding()
    known.no_truncation()
    return known


def positions(model: Path) -> int:
    """How many tokens a text of this model may have, as far as its config.json tells."""
    try:
        most = json.loads((model / "config.json").read_text(encoding="utf-8")).get("max_position_embeddings")
    except (OSError, ValueError, AttributeError):
        return sys.maxsize
    return most if type(most) is int and most > 0 else sys.maxsize


def vectors(rows: Any) -> Iterator[str]:
    """Rows of float32 numbers as lists of JSON numbers that read back exactly."""
    for row in rows.tolist():
        yield f"[{','.join(format(value, '.9g') for value in row)}]"
