"""Topics and judgments by pyserini's names for them, through pyserini and from the folder where it keeps them."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from clirbench.errors import DownloadError, MissingData, UnknownName
from clirbench.labs.search.jvm import java


def topics_named(name: str, download: bool) -> dict[str, dict[str, str]]:
    """{topic: {field: text}}, in the order of the ids, numbers first; raises as `file_named` does."""
    file_named("topics", name, download)
    search = _search()
    found = search.JTopicReader.getTopicsWithStringIds(search.topics_mapping[name])
    ids = sorted(found.keySet().toArray(), key=lambda one: (not one.isdecimal(), len(one) * one.isdecimal(), one))
    return {one: {field: found.get(one).get(field) for field in found.get(one).keySet().toArray()} for one in ids}


@lru_cache(maxsize=8)
def file_named(kind: str, name: str, download: bool) -> Path:
    """Where pyserini keeps `topics` or `qrels` of that name.

    Raises `UnknownName` for a name that it does not know, `MissingData` where the file is not there and must not be
    downloaded, `DownloadError` where pyserini cannot, `ResourceError` without the extra `lucene`.
    """
    search = _search()
    known: dict[str, Any] = search.topics_mapping if kind == "topics" else search.qrels_mapping
    if name not in known:
        raise UnknownName(f"{kind} of pyserini", name, known)
    reader = search.JTopicReader if kind == "topics" else search.JRelevanceJudgments
    path = Path(reader.getCacheDir(), Path(known[name].path).name)
    if not path.is_file():
        if not download:
            raise MissingData(
                f"{kind} {name!r} of pyserini are not in {path}: set download=true, and pyserini fetches them"
            )
        _fetch(
            reader.getTopicPath if kind == "topics" else reader.getQrelsPath, search.JPath.of(known[name].path), path
        )
    return path


def _fetch(getter: Any, wanted: Any, path: Path) -> None:
    from jnius import JavaException

    try:
        getter(wanted)
    except JavaException as error:
        path.unlink(missing_ok=True)
        raise DownloadError(f"{path}: pyserini cannot fetch it ({str(error).partition(chr(10))[0]})") from None


def _search() -> Any:
    java()
    from pyserini.search import _base

    return _base
