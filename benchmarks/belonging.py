"""What belongs together: worlds with a known truth, made of real systems, for the cut of near-copies and for names.

    python -m benchmarks.belonging families names runs price --data ../shared/data

Recipes, sizes, seeds and pass marks, written down before the first result: benchmarks/RESULTS.md ("Families").
`families`: 8 real systems, three with two edited copies each: how often is any of five useless metrics shown? `names`:
systems called TEAM.mode, at random or families. `runs`: numbers in names, in one run or not. `price`: real groups.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

import clirbench as cb
from benchmarks.folders import MIRROR, label, systems, wmt
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import Units, connected, readings, units_of
from clirbench.statistics.correlation import correlate
from clirbench.statistics.grades import SHOWN
from clirbench.systems import likeness
from clirbench.systems.likeness import Hashes, dice, sketch
from clirbench.text import TextFile

FOLDERS = ("wmt21/ja-en", "wmt21/de-en", "wmt22/zh-en", "wmt23/en-de", "wmt24/en-es", "wmt24/en-uk")
DICE = (0.5, 0.6, 0.66, 0.77, 0.85, 0.89, 0.95)
DRAWN, PERMUTED, METRICS, SEED = 2, 100, 5, 20261125
Lines = list[str]
Edit = Callable[[Lines, float, int], Lines]


def systems_of(folder: Path) -> dict[str, Lines]:
    """The lines of every system."""
    return {name: list(TextFile(path).lines()) for name, path in systems(folder).items()}


def sketched(lines: Lines) -> Hashes:
    return sketch(iter(["".join(f"{line}\n" for line in lines[:20_000]).encode()]))


def words_edited(lines: Lines, rate: float, seed: int) -> Lines:
    """Each word with this probability another word of the text."""
    rng = np.random.default_rng(seed)
    words = np.array([word for line in lines for word in line.split()], dtype=object)
    drawn = np.where(rng.random(len(words)) < rate, words[rng.integers(0, len(words), len(words))], words)
    ends = np.cumsum([len(line.split()) for line in lines])
    return [" ".join(part) for part in np.split(drawn, ends[:-1])]


def lines_of(other: Lines) -> Edit:
    """Each line with this probability that of another system."""

    def edited(lines: Lines, rate: float, seed: int) -> Lines:
        taken = np.random.default_rng(seed).random(len(lines)) < rate
        return [theirs if take else ours for ours, theirs, take in zip(lines, other, taken, strict=True)]

    return edited


def edited(lines: Lines, edit: Edit, target: float, seed: int) -> Lines:
    """A copy whose Dice with the lines is `target`, by halving the rate of edits."""
    low, high, own = 0.0, 1.0, sketched(lines)
    for _ in range(12):
        rate = (low + high) / 2
        made = edit(lines, rate, seed)
        low, high = (rate, high) if dice(own, sketched(made)) > target else (low, rate)
    return made


def family(
    texts: dict[str, Lines], kind: str, target: float, families: int, rng: np.random.Generator
) -> dict[str, Lines]:
    """Eight systems, some with two copies: `s3`, `s3x0`, `s3x1`."""
    drawn = rng.permutation(sorted(texts))
    made = {f"s{i}": texts[name] for i, name in enumerate(drawn[:8])}
    for i in range(families):
        for j in range(2):
            seed = int(rng.integers(1 << 30))
            edit = words_edited if kind == "words" else lines_of(texts[drawn[8 + (2 * i + j) % (len(drawn) - 8)]])
            made[f"s{i}x{j}"] = edited(made[f"s{i}"], edit, target, seed)
    return made


def similarity(texts: dict[str, Lines]) -> np.ndarray:
    """(n, n): Dice of every pair."""
    return likeness.similarity([sketched(lines) for lines in texts.values()])


def own_cut(shares: np.ndarray) -> float:
    return likeness.own_cut(shares[np.triu_indices(len(shares), 1)])


def grouped(names: Sequence[str], shares: np.ndarray, cut: float) -> Units:
    near = [(names[i], names[j]) for i, j in combinations(range(len(names)), 2) if shares[i, j] > cut]
    return Units(connected(names, near), "near-copies", np.full(len(names), np.nan))


def shown(names: Sequence[str], x: np.ndarray, y: np.ndarray, units: Units) -> bool:
    columns = tuple(Column(f"m{i}", "metric", row) for i, row in enumerate(x))
    board = Scoreboard(tuple(names), (*columns, Column("RBO", "measure", y)))
    return any(row.grade in SHOWN for row in correlate(board, ("kendall",), units=units))


def families(data: Path) -> Iterator[tuple[object, ...]]:
    yield "families", "folder", "edit", "dice", "cut", "groups at .9", "groups", "any shown at .9", "own cut", "truth"
    for at, name in enumerate(FOLDERS):
        texts = systems_of(data / name)
        for kind in ("words", "lines"):
            for target in DICE:
                for draw in range(DRAWN):
                    rng = np.random.default_rng([SEED, at, kind == "words", int(100 * target), draw])
                    yield ("families", name, kind, target, *one_family(data / name, texts, kind, target, rng))


def one_family(
    folder: Path, texts: dict[str, Lines], kind: str, target: float, rng: np.random.Generator
) -> tuple[float, ...]:
    made = family(texts, kind, target, 3, rng)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "systems").mkdir()
        for file in (*folder.glob("*.txt*"), *folder.glob("docs.tsv*")):
            (Path(place) / file.name).symlink_to(file.resolve())
        for name, lines in made.items():
            text = "".join(f"{line}\n" for line in lines)
            (Path(place) / "systems" / f"{name}.txt").write_text(text, encoding="utf-8")
        result = cb.run(
            folder=place, languages=folder.name, metric=["chrF2"], measures=["RBO(p=0.9)"], topics="keyterms",
            units="none", engine="serial", keep_copies=True,
        )  # fmt: skip
    board = result.systems
    names, y, x = list(board.index), board["RBO(p=0.9)"].to_numpy(), board["chrF2"].to_numpy()
    base = np.array([names.index(name.split("x")[0]) for name in names])
    own = np.flatnonzero(base == np.arange(len(names)))
    shares = similarity({name: made[name] for name in names})
    truth = Units(tuple(names[i] for i in base), "family", np.full(len(names), np.nan))
    even = np.where(likeness.edited(shares), 1.0, shares)
    of = [grouped(names, shares, 0.9), grouped(names, even, own_cut(shares)), truth]
    counted = np.zeros((PERMUTED, 3))
    for at in range(PERMUTED):
        nulls = []
        for _ in range(METRICS):
            drawn = np.zeros(len(names))
            drawn[own] = x[rng.permutation(own)]
            side = rng.choice([-1.0, 1.0], len(names))
            nulls.append(drawn[base] + side[base] * (x - x[base]))
        counted[at] = [shown(names, np.array(nulls), y, units) for units in of]
    return (own_cut(shares), of[0].number, of[1].number, *counted.mean(axis=0))


def names(data: Path) -> Iterator[tuple[object, ...]]:
    yield "names", "folder", "world", "confirmed", "draws"
    for at, name in enumerate(FOLDERS):
        texts = systems_of(data / name)
        every, rng = similarity(texts), np.random.default_rng([SEED, 1, at])
        called = [f"team{i // 3}.{'abc'[i % 3]}" for i in range(12)]
        drawn = [rng.permutation(len(texts))[:12] for _ in range(200)]
        found = [
            bool(likeness.stems(called[: len(rows)], every[np.ix_(rows, rows)], seed=k)) for k, rows in enumerate(drawn)
        ]
        yield "names", name, "random", np.mean(found), len(found)
        for target in (0.66, 0.85):
            found = []
            for k in range(6):
                made = family(texts, "words", target, 4, rng)
                rows = {f"team{s[1]}.{'ab'[int(s[3])] if 'x' in s else 'c'}": text for s, text in made.items()}
                found.append(bool(likeness.stems(list(rows), similarity(rows), seed=k)))
            yield "names", name, f"families at {target}", np.mean(found), len(found)


def along(n: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """A saturating rise over n checkpoints, with noise."""
    t = np.arange(1, n + 1) / n
    rise = 1 - np.exp(-rng.uniform(1, 4) * t)
    return np.asarray((rise - rise.mean()) / rise.std() + spread * rng.normal(size=n))


def runs(data: Path) -> Iterator[tuple[object, ...]]:
    yield "runs", "n", "noise", "spearman", "one run", "any shown", "lowered by number"
    for n in (6, 8, 12, 20):
        for spread in (0.1, 0.25, 0.5, 0.8):
            rng, rows = np.random.default_rng([SEED, 2, n, int(100 * spread)]), []
            called = [f"model_{1000 * (i + 1)}" for i in range(n)]
            for _ in range(200):
                y, x = along(n, spread, rng), np.array([along(n, spread, rng) for _ in range(METRICS)])
                rows.append(read(called, x, y))
            rho = np.mean(
                [np.corrcoef(np.argsort(np.argsort(along(n, spread, rng))), np.arange(n))[0, 1] for _ in range(200)]
            )
            yield "runs", n, spread, rho, *np.mean(rows, axis=0)
    for called in ([f"model_{1000 * (i + 1)}" for i in range(12)], list("defghijklmno")):
        rng, rows = np.random.default_rng([SEED, 3]), []
        for _ in range(400):
            y = rng.normal(size=12)
            x = np.sin(np.pi * 0.3) * y + np.cos(np.pi * 0.3) * rng.normal(size=(METRICS, 12))
            rows.append(read(called, x, y))
        yield "runs", "independent", called[0], 0.0, *np.mean(rows, axis=0)


def read(called: Sequence[str], x: np.ndarray, y: np.ndarray) -> list[bool]:
    """One run; any shown; and whether the reading of numbers takes that away."""
    board = Scoreboard(tuple(called), (Column("RBO", "measure", y),))
    units = units_of(board)
    told = not units.along_training and shown(called, x, y, units)
    own = readings(board, units).get("number")
    return [units.number == 1, told, told and own is not None and (own.along_training or not shown(called, x, y, own))]


def price(data: Path) -> Iterator[tuple[object, ...]]:
    yield "price", "folder", "systems", "cut", "groups at .9", "groups", "kept", "named"
    for folder in wmt(1, data):
        texts = systems_of(folder)
        shares, called = similarity(texts), list(texts)
        even = np.where(likeness.edited(shares), 1.0, shares)
        fixed, own = grouped(called, shares, 0.9), grouped(called, even, own_cut(shares))
        together = "; ".join(" ".join(group) for group in own.groups(called))
        counts = len(called), own_cut(shares), fixed.number, own.number
        yield "price", label(folder), *counts, own.number / fixed.number, together


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="+", choices=["families", "names", "runs", "price"])
    parser.add_argument("--data", type=Path, default=MIRROR)
    options = parser.parse_args()
    for world in options.worlds:
        for row in globals()[world](options.data):
            cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
            print("\t".join(cells), flush=True)


if __name__ == "__main__":
    main()
