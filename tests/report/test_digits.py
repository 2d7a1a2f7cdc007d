"""Every number of the answer and the decision is a cell of the run's tables, with its digits, in every experiment."""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import clirbench as cb
from tests.report.digits import differences

SHIPPED = ("europarl_csen_published", "europarl_deen_published")
READ = ("europarl_csen", "wmt21_deen", "wmt21_isen", "wmt21_jaen", "wmt21_ruen")
FOLDERS: Mapping[str, Mapping[str, object]] = {
    "wmt22/de-en": {"relevance__k": 10, "baseline": "Online-B"},
    "wmt23/zh-en": {"metric": ["BLEU", "chrF2", "TER"]},
    "wmt21/ha-en": {"units": "none", "retrieval__k1": 1.2},
    "wmt22/en-liv": {"topics": "titles"},
}


def first(names: Iterable[str], n: int) -> list[object]:
    """The first n in every change; a release has all."""
    release = pytest.mark.release, pytest.mark.timeout(1800)
    return [name if at < n else pytest.param(name, marks=release) for at, name in enumerate(names)]


def saved(place: Path, name: str, **settings: object) -> Path:
    cb.run(name, paths__cache=str(place / "cache"), **settings).save(place / "run")
    return place / "run"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("published"), SHIPPED[0])


def test_numbers_of_a_published_table(published: Path) -> None:
    assert differences(published) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo", *first(SHIPPED[1:], 0)])
def test_numbers_of_what_is_shipped(name: str, tmp_path: Path) -> None:
    assert differences(saved(tmp_path, name)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", first(READ, 0))
def test_numbers_of_experiments(name: str, tmp_path: Path, shared_data: Path) -> None:
    assert differences(saved(tmp_path, name, paths__mirror=str(shared_data))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", first(FOLDERS, 1))
def test_numbers_of_folders(name: str, tmp_path: Path, shared_data: Path) -> None:
    assert differences(saved(tmp_path, "folder", folder=str(shared_data / name), **FOLDERS[name])) == []


def test_another_digit_is_found_wherever_it_is(published: Path, tmp_path: Path) -> None:
    """A digit is changed in the answer, in a finding, in a table and above a plot: each is one difference or more."""

    def changed(file: str, pattern: str) -> list[str]:
        run = tmp_path / "changed"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(published, run)
        text = (run / file).read_text(encoding="utf-8")
        other, n = re.subn(pattern, lambda found: found[1] + str((int(found[2]) + 1) % 10), text, count=1)
        assert n == 1
        (run / file).write_text(other, encoding="utf-8")
        return differences(run)

    answer = json.loads((published / "results.json").read_text(encoding="utf-8"))["answer"]
    assert re.match(
        r"\w+ orders 9\d % of system pairs as MAP does \(at least 88 %, 95 % confidence; 16 systems", answer
    )
    assert changed("results.json", r"(orders 9)(\d)")
    assert changed("results.json", r"(at least 8)(\d)")
    assert changed("results.json", r'("kind": "agreement"[^}]*?"p_value": \d+\.\d\d)(\d)')
    assert changed("correlations.tsv", r"(BLEU\tkendall\t0\.\d)(\d)")
    assert changed("figures/MAP.svg", r"(>tau \.\d\d)(\d)")
    assert changed("paper.md", r"(\| \.9)(\d)")
    assert changed("paper.md", r"(orders 9)(\d)")
