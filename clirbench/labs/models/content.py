"""What a model is, by its content: the same files make the same model in any folder."""

import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from clirbench.errors import InputError
from clirbench.files.state import State, is_settled, state_of


def content_fingerprint(path: Path) -> str:
    """sha256 of a file, or of the names and contents of all files under a folder (hidden ones left out).

    Raises `InputError` for a path that does not exist or cannot be read.
    """
    digest = hashlib.sha256()
    for name, file in _files(path):
        try:
            state = state_of(file)
            found = _known(file, state) if state is not None and is_settled(state) else _sha256(file)
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror or error})") from None
        digest.update(f"{name}\0{found}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def model_fingerprint(model: Path, tokenizer: str | None) -> str:
    """sha256 of a model and of its tokenizer, where that is another file or folder."""
    parts = [model] if tokenizer is None else [model, Path(tokenizer)]
    return hashlib.sha256("\n".join(content_fingerprint(part) for part in parts).encode()).hexdigest()


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if not path.is_dir():
        yield "", path
        return
    for folder, folders, names in os.walk(path, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            file = Path(folder) / name
            yield str(file.relative_to(path)), file


def _unreadable(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read ({error.strerror})")


@lru_cache(maxsize=4096)
def _known(path: Path, state: State) -> str:
    """sha256 of a file's bytes; its state only says when to read it again."""
    return _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
