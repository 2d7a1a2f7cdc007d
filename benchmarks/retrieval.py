"""Speed and memory of `retrieval=bm25`, beside Lucene through pyserini and bm25s, on real text.

    python benchmarks/retrieval.py [--segments 100000]    # about half an hour on two cores

Prints Markdown. The text is, in this order, europarl/en-2008-2009, europarl/fr-en-2007, the ladder's collection
outputs and the WMT21 outputs of ../shared/data, repeated where more is asked for; a segment is a document. Topics are
the titles of TREC 701-850, depth 1000. Every engine runs in a process of its own, after a warm-up on a few documents
(the Java machine is started, compiled code is loaded); times are seconds of wall clock on one thread unless it says
otherwise, medians of `--repeats` runs. "First" is the first system of a run, "further" any later one in the same
process; `wc -w` is timed on the same plain file.
"""

# ruff: noqa: E402
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[0] = str(PROJECT)  # else a script beside this one hides the standard library's statistics

import argparse
import itertools
import json
import os
import platform
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clirbench.labs.search.libraries import BM25S, RankBM25
from clirbench.labs.search.lucene import Lucene
from clirbench.retrieval.bm25 import BM25
from clirbench.text import TextFile
from clirbench.topics.files import TrecTopics
from clirbench.types import Document, DocumentMap, Documents, Topic

DATA = PROJECT.parent / "shared" / "data"
ENGINES = ("bm25", "pyserini", "lucene", "bm25s", "rank_bm25")
RETRIEVERS: dict[str, Callable[[], Any]] = {"bm25": BM25, "lucene": Lucene, "bm25s": BM25S, "rank_bm25": RankBM25}
Row = Sequence[object]


def sources() -> list[Path]:
    """The files of the text, in its order."""
    europarl = DATA / "europarl"
    files = [europarl / name / "reference.txt.gz" for name in ("en-2008-2009", "fr-en-2007")]
    files += sorted((europarl / "fr-en-ladder" / "collection" / "systems").glob("*.txt*"))
    files += sorted(DATA.glob("wmt21/*/systems/*.txt*"))
    return files


def endless_lines() -> Iterator[bytes]:
    while True:
        for path in sources():
            for block in TextFile(path).blocks():
                yield from (line + b"\n" for line in block.split(b"\n")[:-1])


def write_text(path: Path, n_segments: int, skip: int = 0) -> None:
    with path.open("wb") as stream:
        stream.writelines(itertools.islice(endless_lines(), skip, skip + n_segments))


def title_topics() -> Sequence[Topic]:
    path = DATA / "queries" / "trec-terabyte" / "topics.701-850.txt"
    return TrecTopics(path=str(path)).topics(Documents.of([Document("1", "nothing")]))


def segments(path: Path, n_segments: int) -> Documents:
    documents = Documents(TextFile(path), DocumentMap.blocks_of(n_segments))
    _ = documents.map.id_rank  # depends on the ids alone: computed once for all systems of a run
    return documents


def pyserini_once(path: Path, topics: Sequence[Topic], threads: int) -> None:
    """Index and search as pyserini's LuceneIndexer and LuceneSearcher.batch_search do: the Java calls they make."""
    from clirbench.labs.search.lucene import java

    with tempfile.TemporaryDirectory() as folder:
        indexer = java()("io.anserini.index.SimpleIndexer")(folder, False, threads)
        number = 0
        for block in TextFile(path).blocks():
            lines = block.decode().split("\n")[:-1]
            indexer.addRawDocuments(
                [json.dumps({"id": f"{number + i:07}", "contents": line}) for i, line in enumerate(lines)]
            )
            number += len(lines)
        indexer.close()
        searcher = java()("io.anserini.search.SimpleSearcher")(folder)
        searcher.set_bm25(0.9, 0.4)
        ids, texts = java()("java.util.ArrayList")(), java()("java.util.ArrayList")()
        for topic in topics:
            ids.add(topic.topic_id)
            texts.add(topic.text)
        found = searcher.batch_search(texts, ids, 1000, threads)
        if found.size() == 0:
            raise SystemExit("pyserini found nothing")
        searcher.close()


def measure(engine: str, path: Path, n_segments: int, n_systems: int) -> dict[str, Any]:
    """Seconds of each of `n_systems` runs over the same text in this process, and its peak memory."""
    topics = title_topics()
    warm = Documents.of([Document("1", "oil history"), Document("2", "pearl")])
    threads = 2 if engine.endswith(":2") else 1
    if engine.startswith("pyserini"):
        small = path.with_name(f"small-{os.getpid()}.txt")
        small.write_text("oil history\npearl\n", encoding="utf-8")
        work: Callable[[], object] = lambda: pyserini_once(path, topics, threads)  # noqa: E731
        pyserini_once(small, topics, threads)
    else:
        retriever = RETRIEVERS[engine]()
        retriever.rank(warm, [Topic.of("w", "oil")])
        documents = segments(path, n_segments)
        work = lambda: retriever.rank(documents, topics)  # noqa: E731
    before = peak_megabytes()
    seconds = []
    for _ in range(n_systems):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "before": before, "peak": peak_megabytes()}


def peak_megabytes() -> float:
    """Peak resident memory of this process, from the kernel (ru_maxrss would inherit the parent's)."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_process(engine: str, path: Path, n_segments: int, n_systems: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", engine, str(path), str(n_segments), str(n_systems)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{engine} failed:\n{done.stderr}")
    return json.loads(done.stdout.split("\n")[-2])  # type: ignore[no-any-return]


def table(title: str, header: Row, rows: Sequence[Row]) -> None:
    print(f"\n### {title}\n")
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    sys.stdout.flush()


def seconds_of_wc(path: Path, repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(["wc", "-w", str(path)], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def engines(options: argparse.Namespace, folder: Path) -> None:
    path = folder / "text.txt"
    write_text(path, options.segments)
    wc = seconds_of_wc(path, options.repeats)
    rows: list[Row] = []
    for engine in options.engines:
        n_segments = min(options.segments, 20_000) if engine == "rank_bm25" else options.segments
        text = path
        if n_segments != options.segments:
            text = folder / "short.txt"
            write_text(text, n_segments)
        for threads in ("", ":2") if engine == "pyserini" else ("",):
            runs = [in_a_process(engine + threads, text, n_segments, 2) for _ in range(options.repeats)]
            first, further = (statistics.median(run["seconds"][i] for run in runs) for i in (0, 1))
            note = f"{engine}{', 2 threads' if threads else ''}{f' ({n_segments:,} segments)' if text != path else ''}"
            peak, before = (statistics.median(run[key] for run in runs) for key in ("peak", "before"))
            rows.append((note, first, further, further / wc if text == path else "-", f"{peak:.0f}", f"{before:.0f}"))
    rows.append(("wc -w", wc, wc, 1.0, "-", "-"))
    words = subprocess.run(["wc", "-w", str(path)], check=True, capture_output=True, text=True).stdout.split()[0]
    header = ("engine", "first system, s", "further system, s", "further / wc", "peak MB", "of which before")
    table(f"{options.segments:,} segments, {int(words):,} words, 150 topics", header, rows)


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n"):
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, load at the start {load}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    if sys.argv[1:2] == ["--child"]:
        engine, path, n_segments, n_systems = sys.argv[2:]
        print(json.dumps(measure(engine, Path(path), int(n_segments), int(n_systems))))
        return
    options = parser.parse_args()
    print(f"## Retrieval\n\n{machine()}")
    with tempfile.TemporaryDirectory() as folder:
        engines(options, Path(folder))


if __name__ == "__main__":
    main()
