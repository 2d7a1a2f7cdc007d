"""The whole line against the script that one would write today: `python benchmarks/whole.py FOLDER [--systems 1 38]`.

Ours: `python -m clirbench` with BLEU, chrF2 and MacroF1, 150 topics, five measures, tests, intervals, report; with an
empty store, and once more. Theirs: sacreBLEU (BLEU and chrF2; it has no MacroF1), bm25s, ir_measures and scipy's
Kendall, 150 queries of three words, top 100 of the English side as judgments; a table of taus, nothing else, so a
rerun is the same work. Each line is one process of its own: processor time of it and its workers, wall time, highest
memory; for ours the size of the store. FOLDER holds reference.txt[.gz] and systems/NAME.txt[.gz].
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPICS, RELEVANT, DEPTH = 150, 100, 1000


def read(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def files(folder: Path, systems: int) -> list[Path]:
    return sorted((folder / "systems").iterdir())[:systems]


def theirs(folder: Path, systems: int) -> None:
    """What a researcher would write: scores, runs, judgments, measures, taus."""
    import bm25s
    import ir_measures
    from ir_measures import AP, P, R, ScoredDoc, nDCG
    from sacrebleu.metrics import BLEU, CHRF
    from scipy.stats import kendalltau

    reference = read(next(folder.glob("reference.txt*")))
    step = max(1, len(reference) // TOPICS)
    queries = [" ".join(sorted(set(line.split()), key=len)[-3:]) for line in reference[::step][:TOPICS]]
    asked = bm25s.tokenize(queries, stopwords="en", show_progress=False)

    def search(lines: list[str]) -> list[ScoredDoc]:
        index = bm25s.BM25(k1=0.9, b=0.4)
        index.index(bm25s.tokenize(lines, stopwords="en", show_progress=False), show_progress=False)
        found, scores = index.retrieve(asked, k=min(DEPTH, len(lines)), show_progress=False)
        return [
            ScoredDoc(str(topic), str(document), float(score))
            for topic, (documents, values) in enumerate(zip(found.tolist(), scores.tolist(), strict=True))
            for document, score in zip(documents, values, strict=True)
            if score > 0
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


def cost(label: str, command: list[str], store: Path | None = None) -> float:
    """Run, print a line of the table, return seconds of processor time."""
    begun = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
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
    parser.add_argument("--theirs", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.theirs:
        theirs(folder, options.theirs)
        return
    print("| what | processor s | wall s | memory | store |\n| --- | ---: | ---: | ---: | ---: |")
    for systems in options.systems:
        names = [path.name.partition(".txt")[0] for path in files(folder, systems)]
        with tempfile.TemporaryDirectory() as made:
            store = Path(made, "cache")
            command = [
                *(sys.executable, "-m", "clirbench", "+experiment=folder", f"folder={folder}", "topics=keyterms"),
                *("metric=[BLEU,chrF2,MacroF1]", f"systems.include=[{','.join(names)}]", "engine.workers=1"),
                *(f"topics.n={TOPICS}", f"paths.cache={store}", f"hydra.run.dir={made}/run"),
            ]
            cold = cost(f"ours, {systems} systems, empty store", command, store)
            warm = cost(f"ours, {systems} systems, again", command, store)
        peer = cost(
            f"theirs, {systems} systems", [sys.executable, "-P", __file__, str(folder), "--theirs", str(systems)]
        )
        print(f"{systems} systems: {peer / cold:.1f} times, again {peer / warm:.1f} times", flush=True)


if __name__ == "__main__":
    main()
