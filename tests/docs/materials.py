"""What a reader of the documentation has already: MT outputs, checkpoints, runs, topics, made from the demo's texts."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from clirbench.corpora.manifest import FOLDER as DEMO
from tests.conftest import write_lines as write
from tests.docs.test_contributing import EXAMPLE, ROOT


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def every(n: int, line: str) -> str:
    """A line without every n-th of its words: the smaller n, the worse the translation."""
    return " ".join(word for number, word in enumerate(line.split(" "), 1) if number % n)


def garbled(n: int, line: str) -> str:
    """A line whose every n-th word is written backwards."""
    return " ".join(word[::-1] if number % n == 0 else word for number, word in enumerate(line.split(" ")))


def talks(folder: Path) -> None:
    """talks/: 112 documents, as in the demo, and six systems: two kinds of fault, three rates; half are packed."""
    reference = lines(DEMO / "reference.txt")
    for name in ("reference.txt", "source.txt", "docs.tsv"):
        write(folder / "talks" / name, lines(DEMO / name))
    for n in (2, 4, 8):
        write(folder / "talks" / "systems" / f"short-{n}.txt", [every(n, line) for line in reference])
        backwards = [garbled(n, line) for line in reference]
        packed = "".join(f"{line}\n" for line in backwards).encode()
        (folder / "talks" / "systems" / f"garbled-{n}.txt.gz").write_bytes(gzip.compress(packed, mtime=0))


def topics(folder: Path) -> None:
    """topics.jsonl and qrels.txt: the demo's topics and its judgments."""
    for name in ("topics.jsonl", "qrels.txt"):
        write(folder / name, lines(DEMO / name))
    rows = [json.loads(line) for line in lines(DEMO / "topics.jsonl")]
    write(
        folder / "topics.trec",
        [f"<top>\n<num> Number: {row['topic_id']}\n<title> {row['title']}\n</top>\n" for row in rows],
    )


def sweep(folder: Path) -> None:
    """exp/run1 and exp/run2: six checkpoints each, better with every step; data/: source and reference."""
    reference = lines(DEMO / "reference.txt")
    for name in ("reference.txt", "source.txt", "docs.tsv"):
        write(folder / "data" / name, lines(DEMO / name))
    for run in (1, 2):
        for step in range(1, 7):
            path = folder / "exp" / f"run{run}" / f"ckpt_{step}000.txt"
            write(path, [every(step + run, line) for line in reference])


def testset(folder: Path) -> None:
    """newstest/: another text than the collection, the first 60 lines, translated by the same six systems."""
    talks(folder)
    for path in sorted((folder / "talks" / "systems").iterdir()):
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
        write(folder / "newstest" / "systems" / path.name.removesuffix(".gz"), text.split("\n")[:60])
    write(folder / "newstest" / "reference.txt", lines(DEMO / "reference.txt")[:60])


def scores(folder: Path) -> None:
    """scores.tsv: eight systems of a made-up study."""
    rows = ["30.1 28.4 61.0 .412", "31.0 29.9 58.2 .430", "32.2 30.2 57.1 .428", "33.5 32.8 55.0 .471"]
    rows += ["34.1 33.0 54.9 .465", "35.2 35.1 52.3 .502", "36.0 35.0 51.0 .498", "37.3 37.7 50.2 .531"]
    names = ["rule-based", "word-based", "phrase-based", "hierarchical", "recurrent", "convolutional", "transformer"]
    table = ["\t".join([name, *row.split(" ")]) for name, row in zip([*names, "ensemble"], rows, strict=True)]
    write(folder / "study.tsv", ["\t".join(["system", "BLEU", "MacroF1", "TER", "MAP"]), *table])


def contributing(folder: Path) -> None:
    """The files that CONTRIBUTING.md writes."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for found in EXAMPLE.finditer(page):
        write(folder / found["name"], found["content"].split("\n")[:-1])


def settings(folder: Path) -> None:
    """settings.tsv: nine settings of three language pairs, the scores behind Table 4 of Gowda et al. 2021."""
    write(folder / "settings.tsv", lines(ROOT / "clirbench/data/gowda2021_clssts_scores.tsv"))


def documents(folder: Path) -> None:
    """documents.jsonl: the demo's speeches as JSON lines; its topics and its judgments."""
    topics(folder)
    rows: dict[str, list[str]] = {}
    for row, line in zip(lines(DEMO / "docs.tsv")[1:], lines(DEMO / "reference.txt"), strict=True):
        rows.setdefault(row.split("\t")[1], []).append(line)
    made = [{"id": name, "title": parts[0], "text": " ".join(parts[1:])} for name, parts in rows.items()]
    write(folder / "documents.jsonl", [json.dumps(row) for row in made])


def segments(folder: Path) -> None:
    """segments.jsonl: the demo's texts, everything about a segment on one line; four systems."""
    names = [row.split("\t")[1] for row in lines(DEMO / "docs.tsv")[1:]]
    texts = zip(names, lines(DEMO / "source.txt"), lines(DEMO / "reference.txt"), strict=True)
    rows = []
    for n, (doc, source, reference) in enumerate(texts):
        outputs = {f"keep{k}": every(k, reference) for k in (2, 3, 4, 6)}
        rows.append({"doc": doc, "seg": n, "source": source, "reference": reference, "outputs": outputs})
    write(folder / "segments.jsonl", [json.dumps(row) for row in rows])


def czech(folder: Path) -> None:
    """czech/: the demo's Czech side as the reference, and six systems with two kinds of fault."""
    source = lines(DEMO / "source.txt")
    write(folder / "czech" / "reference.txt", source)
    write(folder / "czech" / "docs.tsv", lines(DEMO / "docs.tsv"))
    for n in (2, 4, 8):
        write(folder / "czech" / "systems" / f"short-{n}.txt", [every(n, line) for line in source])
        write(folder / "czech" / "systems" / f"garbled-{n}.txt", [garbled(n, line) for line in source])


def comet(folder: Path) -> None:
    """talks/, and a file where an environment has its program, which `check=true` looks for and does not start."""
    talks(folder)
    write(folder / "envs" / "comet" / "bin" / "comet-score", ["exit 1"])
    (folder / "envs" / "comet" / "bin" / "comet-score").chmod(0o755)


def learned(folder: Path) -> None:
    """comet.json, MetricX's output beside each file of the sweep, and wmt22/, in the layout of mt-metrics-eval.

    In place of the metrics: the share of a line's words that are there, which MetricX counts from the other side.
    """
    reference = lines(DEMO / "reference.txt")
    scored: dict[str, list[dict[str, float]]] = {}
    for path in sorted((folder / "exp").rglob("*.txt")):
        pairs = zip(lines(path), reference, strict=True)
        shares = [len(ours.split()) / max(len(theirs.split()), 1) for ours, theirs in pairs]
        scored[path.relative_to(folder).as_posix()] = [{"COMET": share} for share in shares]
        write(path.with_suffix(".jsonl"), [json.dumps({"prediction": 25 * (1 - share)}) for share in shares])
    write(folder / "comet.json", [json.dumps(scored)])
    documents = [row.split("\t")[1] for row in lines(DEMO / "docs.tsv")[1:]]
    write(folder / "wmt22" / "sources" / "de-en.txt", lines(DEMO / "source.txt"))
    write(folder / "wmt22" / "references" / "de-en.refA.txt", reference)
    write(folder / "wmt22" / "documents" / "de-en.docs", [f"news\t{name}" for name in documents])
    for n in (2, 4, 8):
        outputs = folder / "wmt22" / "system-outputs" / "de-en"
        write(outputs / f"short-{n}.txt", [every(n, line) for line in reference])
        write(outputs / f"garbled-{n}.txt", [garbled(n, line) for line in reference])


MATERIALS: dict[str, Callable[[Path], None]] = {
    made.__name__: made
    for made in (
        talks,
        topics,
        sweep,
        testset,
        scores,
        settings,
        contributing,
        documents,
        segments,
        czech,
        learned,
        comet,
    )
}
