"""`clirbench export ID DIR [--yes]`: write a collection of ir_datasets as files that a corpus, topics and qrels read.

ir_datasets downloads what it needs when it is asked for it, so this is a step of its own that a person takes, and an
experiment only ever reads the files: `docs.jsonl` (doc_id, text), `topics.jsonl` (topic_id, title) and `qrels.txt`.
It is an extra: `pip install '.[ir_datasets]'`.

**Source:** MacAvaney et al., Simplified Data Wrangling with ir_datasets, SIGIR 2021.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clirbench.checks import require
from clirbench.commands.base import command_parser, run_command
from clirbench.errors import ConfigError, InputError, StoreError, escape_unseen
from clirbench.files.trec import write_qrels
from clirbench.types import Qrels


def load(dataset: str) -> Any:
    """The dataset of that id; raises `ResourceError` without ir_datasets, `ConfigError` for an id it does not know."""
    require("clirbench export", "ir_datasets", "ir_datasets")
    import ir_datasets

    try:
        return ir_datasets.load(dataset)
    except KeyError:
        raise ConfigError(f"ir_datasets has no dataset {dataset!r}; its ids are listed at ir-datasets.com") from None


def export(dataset: Any, folder: Path) -> dict[str, int]:
    """Write what the dataset has of documents, topics and judgments; returns how many of each were written.

    Grades below 0 are written as 0 (not relevant), which is what they mean. Raises `InputError` for a dataset that
    has none of the three, `StoreError` where the folder cannot be written.
    """
    counts: dict[str, int] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if dataset.has_docs():
            records = ({"doc_id": d.doc_id, "text": d.default_text()} for d in dataset.docs_iter())
            counts["documents"] = _write(folder / "docs.jsonl", records)
        if dataset.has_queries():
            records = ({"topic_id": q.query_id, "title": q.default_text()} for q in dataset.queries_iter())
            counts["topics"] = _write(folder / "topics.jsonl", records)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror or error})") from None
    if dataset.has_qrels():
        grades: dict[str, dict[str, int]] = {}
        for judgment in dataset.qrels_iter():
            grades.setdefault(judgment.query_id, {})[judgment.doc_id] = max(0, judgment.relevance)
        write_qrels(folder / "qrels.txt", Qrels(grades))
        counts["judgments"] = sum(map(len, grades.values()))
    if not counts:
        raise InputError("the dataset has neither documents nor topics nor judgments; name one of its parts")
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; without `--yes` it says what it would do and does nothing."""
    parser = command_parser("export", __doc__)
    parser.add_argument("dataset", help="an id of ir_datasets, e.g. hc4/zh/test")
    parser.add_argument("folder", type=Path, help="where docs.jsonl, topics.jsonl and qrels.txt go")
    parser.add_argument("--yes", action="store_true", help="do it; ir_datasets may download")
    return run_command(parser, arguments, _export)


def _export(options: Namespace) -> int:
    if not options.yes:
        target = escape_unseen(f"{options.dataset} to {options.folder}")
        print(f"would write {target}; ir_datasets may download it. Add --yes to do so.")
        return 0
    counts = export(load(options.dataset), options.folder)
    print(escape_unseen(f"{options.folder}: ") + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 0


def _write(path: Path, records: Iterable[dict[str, str]]) -> int:
    n = 0
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
            n += 1
    return n


if __name__ == "__main__":
    sys.exit(main())
