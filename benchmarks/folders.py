"""Real folders of MT outputs, and what a run of one measures: for worlds whose population they are."""

from pathlib import Path

import numpy as np

import clirbench as cb
from clirbench.statistics.kinds import spaced
from clirbench.types import Doubles

MIRROR, KEEP = Path("../shared/data"), Path("runs/worlds")
METRICS, MEASURES = ("BLEU", "chrF1", "chrF2", "MacroF1", "MicroF1"), ("MAP", "RBO(p=0.9)")


def systems(folder: Path) -> dict[str, Path]:
    """The files of a folder's systems by their names, in order."""
    return {path.name.partition(".txt")[0]: path for path in sorted((folder / "systems").glob("*.txt*"))}


def wmt(fewest: int, data: Path = MIRROR) -> list[Path]:
    """The WMT folders with at least `fewest` systems, in the order of their names."""
    return [folder for folder in sorted(data.glob("wmt2?/*-*")) if len(systems(folder)) >= fewest]


def label(folder: Path | str) -> str:
    """wmt22/de-en."""
    return "/".join(Path(folder).parts[-2:])


def measured(folder: Path, topics: str, **keys: str) -> dict[str, Doubles]:
    """`x` (metrics, systems), more is better, and (systems, topics) by measure; each run is made once."""
    file = KEEP / f"{'-'.join([label(folder), topics, *keys.values()])}.npz".replace("/", "-")
    if not file.exists():
        run = cb.run(
            "folder", folder=str(folder), metric=list(METRICS), measures=list(MEASURES), topics=topics,
            engine="serial", paths__cache=str(KEEP / "store"), **keys,
        )  # fmt: skip
        found = {"x": run.systems[list(METRICS)].to_numpy(dtype=float).T}
        for name in MEASURES:
            rows = run.per_topic[run.per_topic.measure == name]
            table = rows.pivot(index="system", columns="topic_id", values="value").loc[run.systems.index]
            found[name] = table.dropna(axis=1).to_numpy()
        KEEP.mkdir(parents=True, exist_ok=True)
        np.savez(file, allow_pickle=False, **found)
    with np.load(file) as kept:
        return dict(kept)


def by_two_references(folder: Path, topics: int = 100) -> tuple[Doubles, ...]:
    """(systems, metrics) by the first of two references, RBO (systems, topics) by each, standardised; else nothing."""
    names = [path.name.removeprefix("reference-").partition(".")[0] for path in sorted(folder.glob("reference*"))]
    found = [measured(folder, "rareterms", references=name) for name in names[:2] if len(names) > 1]
    tables = [spaced(one["RBO(p=0.9)"], topics) for one in found]
    x = [(one["x"].T - one["x"].mean(axis=1)) / one["x"].std(axis=1) for one in found[:1]]
    return (*x, *((table - table.mean(axis=0)) / table.mean(axis=1).std() for table in tables))
