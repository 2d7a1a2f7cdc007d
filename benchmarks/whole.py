"""The whole line against what one would use today: `python -m benchmarks.whole FOLDER [--systems 1 38 1000]`.

`--rivals` without a name, `--tree OTHER` (another checkout with its own .venv) and further `key=value` of the program
measure ours alone: by number of systems, workers or engines, or before and after a change, in turns (`--times`).

Ours: `python -m clirbench` with BLEU, chrF2 and MacroF1, 150 topics, five measures, tests, intervals, report; with an
empty store, once more, and with one system more. The script: sacreBLEU (BLEU and chrF2; it has no MacroF1), bm25s or
Lucene, ir_measures and scipy's Kendall, 150 queries of three words, top 100 of the reference side as judgments.

Each line is one process: processor time of it and its workers, wall time, highest memory, size of our store. FOLDER
holds reference.txt[.gz] and systems/NAME.txt[.gz]; systems that are missing are made of these without some words.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
TOPICS, RELEVANT, DEPTH = 150, 100, 1000


def read(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def files(folder: Path, systems: int) -> list[Path]:
    return sorted((folder / "systems").iterdir())[:systems]


def enough(folder: Path, systems: int, made: Path) -> Path:
    """The folder, or a copy with as many systems as are asked for."""
    there = files(folder, systems)
    if len(there) == systems:
        return folder
    (made / "systems").mkdir(parents=True)
    for path in folder.glob("reference.txt*"):
        shutil.copy(path, made)
    for number in range(systems):
        lot, lines = random.Random(number), read(there[number % len(there)])
        share = 0.3 * lot.random() if number >= len(there) else 0.0
        kept = (" ".join([word for word in line.split(" ") if lot.random() >= share] or ["."]) for line in lines)
        (made / "systems" / f"made-{number:04d}.txt").write_text(
            "".join(f"{line}\n" for line in kept), encoding="utf-8"
        )
    return made


Found = list[list[tuple[str, float]]]
"""For each query the documents with their scores, best first."""


def by_bm25s(queries: list[str], lines: list[str], depth: int) -> Found:
    import bm25s

    asked = bm25s.tokenize(queries, stopwords="en", show_progress=False)
    index = bm25s.BM25(k1=0.9, b=0.4)
    index.index(bm25s.tokenize(lines, stopwords="en", show_progress=False), show_progress=False)
    found, scores = index.retrieve(asked, k=min(depth, len(lines)), show_progress=False)
    return [
        [(str(document), float(score)) for document, score in zip(documents, values, strict=True) if score > 0]
        for documents, values in zip(found.tolist(), scores.tolist(), strict=True)
    ]


def by_lucene(queries: list[str], lines: list[str], depth: int) -> Found:
    """The Java calls of pyserini's LuceneIndexer and LuceneSearcher.batch_search; its first call starts Java."""
    from clirbench.labs.search.lucene import java

    with tempfile.TemporaryDirectory() as folder:
        indexer = java()("io.anserini.index.SimpleIndexer")(folder, False, 1)
        indexer.addRawDocuments([json.dumps({"id": str(i), "contents": line}) for i, line in enumerate(lines)])
        indexer.close()
        searcher = java()("io.anserini.search.SimpleSearcher")(folder)
        searcher.set_bm25(0.9, 0.4)
        ids, texts = java()("java.util.ArrayList")(), java()("java.util.ArrayList")()
        for number, query in enumerate(queries):
            ids.add(str(number))
            texts.add(query)
        hits = searcher.batch_search(texts, ids, depth, 1)
        found = [[(hit.docid, hit.score) for hit in hits.get(str(number)) or []] for number in range(len(queries))]
        searcher.close()
    return found


def theirs(folder: Path, systems: int, search_by: Callable[[list[str], list[str], int], Found]) -> None:
    """What a researcher would write: scores, runs, judgments, measures, taus."""
    import ir_measures
    from ir_measures import AP, P, R, ScoredDoc, nDCG
    from sacrebleu.metrics import BLEU, CHRF
    from scipy.stats import kendalltau

    reference = read(next(folder.glob("reference.txt*")))
    step = max(1, len(reference) // TOPICS)
    queries = [" ".join(sorted(set(line.split()), key=len)[-3:]) for line in reference[::step][:TOPICS]]

    def search(lines: list[str]) -> list[ScoredDoc]:
        return [
            ScoredDoc(str(topic), document, score)
            for topic, found in enumerate(search_by(queries, lines, DEPTH))
            for document, score in found
        ]

    qrels: dict[str, dict[str, int]] = {}
    for row in search(reference):
        judged = qrels.setdefault(row.query_id, {})
        if len(judged) < RELEVANT:
            judged[row.doc_id] = 1
    measures = [AP, nDCG, P @ 10, R @ 10]
    bleu, chrf = BLEU(references=[reference]), CHRF(references=[reference])
    table = []
    for path in files(folder, systems):
        lines = read(path)
        scores = [bleu.corpus_score(lines, None).score, chrf.corpus_score(lines, None).score]
        values = ir_measures.calc_aggregate(measures, qrels, search(lines))
        table.append((scores, [values[measure] for measure in measures]))
    for at, measure in enumerate(measures):
        row = [kendalltau([s[m] for s, _ in table], [v[at] for _, v in table]).statistic for m in (0, 1)]
        print(measure, *(f"{tau:.3f}" for tau in row))


def cost(label: str, command: list[str], store: Path | None = None, tree: Path = ROOT) -> float:
    """Run, print a line of the table, return seconds of processor time."""
    begun = time.monotonic()
    # Compiled modules are kept, as they are wherever somebody installs and works.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=tree, env=kept, stdout=silent, stderr=silent) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{label}: exit status {process.returncode}: {' '.join(command)}")
    wall, seconds = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
    size = f"{sum(p.stat().st_size for p in store.rglob('*') if p.is_file()) / 1e6:.0f} MB" if store else ""
    print(f"| {label} | {seconds:.1f} | {wall:.1f} | {usage.ru_maxrss / 1e3:.0f} MB | {size} |", flush=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", type=int, nargs="+", default=[1, 38])
    parser.add_argument("--rivals", nargs="*", default=["bm25s", "lucene"])
    parser.add_argument("--tree", type=Path, help="another checkout, measured in turns with this one")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--as", dest="rival", help=argparse.SUPPRESS)
    parser.add_argument("overrides", nargs="*", help="further key=value for the program")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.rival:
        theirs(folder, options.systems[0], {"bm25s": by_bm25s, "lucene": by_lucene}[options.rival])
    else:
        print("| what | processor s | wall s | memory | store |\n| --- | ---: | ---: | ---: | ---: |")
        for systems in options.systems:
            with tempfile.TemporaryDirectory() as made:
                compare(enough(folder, systems + 1, Path(made, "folder")), systems, options)


def compare(folder: Path, systems: int, options: argparse.Namespace) -> None:
    """Print the lines of one number of systems, and how many times as long each rival and the other checkout take."""
    topics = ["topics=keyterms", f"topics.n={TOPICS}", *options.overrides]
    rounds = [
        [costs_of_ours(tree, folder, systems, topics) for tree in (ROOT, options.tree) if tree]
        for _ in range(options.times)
    ]
    ours = {label: median(found[0][label] for found in rounds) for label in rounds[0][0]}
    if options.tree:
        pairs = {label: median(here[label] / there[label] for here, there in rounds) for label in ours}
        print("of the other checkout's: " + ", ".join(f"{share:.2f} {label}" for label, share in pairs.items()))
    for rival in options.rivals:
        theirs = [*(sys.executable, "-m", "benchmarks.whole", str(folder)), "--systems", str(systems), "--as", rival]
        peer = cost(f"{rival}, {systems} systems", theirs)
        shares = ", ".join(f"{peer / seconds:.1f} times {label}" for label, seconds in ours.items())
        print(f"{rival}: {shares}", flush=True)


def costs_of_ours(tree: Path, folder: Path, systems: int, keys: list[str]) -> dict[str, float]:
    """Seconds with an empty store, again, and with one system more."""
    names = [path.name.partition(".txt")[0] for path in files(folder, systems + 1)]
    with tempfile.TemporaryDirectory() as made:
        store = Path(made, "cache")

        def timed(label: str, names: list[str]) -> float:
            command = [
                *(str(tree / ".venv/bin/python"), "-m", "clirbench", "+experiment=folder", f"folder={folder}"),
                *("metric=[BLEU,chrF2,MacroF1]", f"systems.include=[{','.join(names)}]", "engine.workers=1", *keys),
                *(f"paths.cache={store}", f"hydra.run.dir={made}/run"),
            ]
            return cost(f"{tree.name}, {len(names)} systems, {label}", command, store, tree)

        found = {label: timed(label, names[:systems]) for label in ("empty store", "again")}
        return {**found, "one more": timed("one more", names)}


if __name__ == "__main__":
    main()
