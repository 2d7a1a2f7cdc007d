"""Runs that several tests look at, made once in an empty folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import pytest

import clirbench as cb


@pytest.fixture(autouse=True)
def _no_window() -> None:
    matplotlib.use("agg")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty folder to work in, as a notebook's."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("notebook")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(autouse=True)
def _at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


@pytest.fixture(scope="session")
def published(home: Path) -> cb.Outcome:
    """The published scores of 16 systems: score tables alone."""
    return cb.run("europarl_csen_published", output__tables=["tsv", "parquet"])


@pytest.fixture(scope="session")
def texts(home: Path, small_texts: Path) -> cb.Outcome:
    """A folder of MT outputs: 4 systems, with runs and topics, and one analysis."""
    return cb.run(
        "folder",
        folder=small_texts,
        metric=["BLEU", "MacroF1"],
        measures=["MAP", "RBO(p=0.9)"],
        topics="keyterms",
        topics__n=8,
        relevance__k=2,
        analysis=["choice", "types"],
        engine="serial",
    )
