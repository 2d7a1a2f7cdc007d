"""Documents that people judged, at scale: 200,000 made documents of 300 words, one packed file for each of 4 systems.

    python benchmarks/documents.py [documents]

Prints the processor's seconds of one run from nothing and of a rerun, beside those of unpacking and reading the same
bytes once, the clock's seconds (they depend on what else the machine does), and the peak memory of all processes.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

WORDS, VOCABULARY, TOPICS, JUDGED = 300, 60_000, 100, 30
SYSTEMS = {"a": 0.0, "b": 0.2, "c": 0.4, "d": 0.6}


def made(folder: Path, documents: int) -> None:
    """Zipfian words, of which each system writes a share wrongly; two words a topic, judged where both stand."""
    rng = np.random.default_rng(7)
    letters = np.array(list("etaoinshrdlucmfw"))
    stems = ("".join(rng.choice(letters, size=rng.integers(2, 10))) for _ in range(VOCABULARY))
    names = np.array([f"{stem}{i:x}" for i, stem in enumerate(stems)])
    share = 1 / np.arange(1, VOCABULARY + 1)
    share /= share.sum()
    pairs = [tuple(rng.integers(200, 3000, size=2).tolist()) for _ in range(TOPICS)]
    topics = [{"topic_id": str(t), "title": " ".join(names[list(pair)])} for t, pair in enumerate(pairs, start=1)]
    (folder / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics))
    qrels = {str(t): {} for t in range(1, TOPICS + 1)}
    (folder / "mt").mkdir()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(gzip.open(folder / "mt" / f"{name}.jsonl.gz", "wt", compresslevel=1))
            for name in SYSTEMS
        }
        for start in range(0, documents, 2000):
            n = min(2000, documents - start)
            words = rng.choice(VOCABULARY, size=(n, WORDS), p=share)
            for t, (first, second) in enumerate(pairs, start=1):
                judged = qrels[str(t)]
                both = (words == first).any(axis=1) & (words == second).any(axis=1)
                for row in np.flatnonzero(both)[: JUDGED - len(judged)]:
                    judged[start + int(row)] = 1
                judged.setdefault(start + int(rng.integers(n)), 0) if len(judged) < JUDGED else None
            for name, wrong in SYSTEMS.items():
                noisy = np.where(rng.random(words.shape) < wrong, rng.integers(VOCABULARY, size=words.shape), words)
                for row, document in enumerate(noisy):
                    files[name].write(json.dumps({"id": f"d{start + row}", "text": " ".join(names[document])}) + "\n")
    lines = [f"{t} 0 d{doc} {grade}\n" for t, judged in qrels.items() for doc, grade in judged.items()]
    (folder / "qrels.txt").write_text("".join(lines))


def memory(root: int) -> int:
    """Bytes held by a process and its descendants; pages they share count once (PSS)."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    family, total = {root}, 0
    for _ in range(4):
        family |= {pid for pid, parent in parents.items() if parent in family}
    for pid in family:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) * 1024 for line in rollup.split("\n") if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return total


def run(folder: Path) -> tuple[float, float, float]:
    """Seconds of the processor (all processes), of the clock, and peak bytes of one run."""
    command = [
        sys.executable, "-m", "clirbench", "corpus=jsonl_documents", "corpus.translations=mt", "topics=jsonl",
        "topics.path=topics.jsonl", "relevance=qrels", "relevance.path=qrels.txt", "relevance.judged_by=people",
        "metric=[]", "measures=[MAP,nDCG,'mAQWV(at=0)']",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    start, before = time.perf_counter(), os.times()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(0.3)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert process.returncode == 0
    print(process.stdout.read() if process.stdout else "")
    return used, time.perf_counter() - start, peak


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(folder, documents)
        start, n_bytes = time.process_time(), 0
        for path in sorted((folder / "mt").iterdir()):
            with gzip.open(path, "rb") as file:
                while block := file.read(1 << 20):
                    n_bytes += len(block)
        reading = time.process_time() - start
        first, clock, peak = run(folder)
        again, clock_again, _ = run(folder)
        size = f"{n_bytes / 1e6:,.0f} MB unpacked"
        print(f"{documents:,} documents x {len(SYSTEMS)} systems, {size}; load {os.getloadavg()[0]:.1f}")
        print(
            f"processor: reading once {reading:.1f} s, run {first:.1f} s ({first / reading:.1f} x), rerun {again:.1f} s"
            f"; clock: run {clock:.0f} s, rerun {clock_again:.0f} s"
        )
        print(f"peak memory {peak / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
