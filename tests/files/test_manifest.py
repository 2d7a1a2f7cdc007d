"""The seal of a run's folder: what was changed, added or taken away is named, and no trap is opened."""

import inspect
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.errors import UNSEEN
from clirbench.files.run_files import EVENTS, MANIFEST, MARKER, broken, read_manifest
from tests.conftest import put


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cb.run("europarl_csen_published", units="none").save(tmp_path_factory.mktemp("sealed") / "run")


@pytest.fixture
def run(sealed: Path, tmp_path: Path) -> Path:
    shutil.copytree(sealed, tmp_path / "run")
    return tmp_path / "run"


def test_every_file_is_sealed(run: Path) -> None:
    files = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    assert read_manifest(run)["files"].keys() == files - {MANIFEST, EVENTS}
    assert {MARKER, "plan.tsv", "results.json", "provenance.json", "systems.tsv"} <= files
    assert list(broken(run)) == []
    assert MANIFEST in (run / MARKER).read_text().splitlines()


def test_a_saved_copy_has_a_seal_of_its_own_and_an_earlier_run_keeps_its(run: Path, tmp_path: Path) -> None:
    loaded = cb.load(run)
    for _ in range(2):
        loaded.save(tmp_path / "copy")
    assert list(broken(tmp_path / "copy")) == []
    assert list(broken(tmp_path / "copy" / "previous-1")) == []  # without the plan and the marker, which stay
    (run / "systems.tsv").write_text("system\n")
    assert list(broken(run)) != []
    cb.load(run).save(tmp_path / "other")
    assert list(broken(tmp_path / "other")) == []  # a seal says that nothing changed since, not that it is right


def test_the_seal_of_a_copy_names_the_version_that_computed_the_run(run: Path, tmp_path: Path) -> None:
    for name in ("provenance.json", "results.json"):
        (run / name).write_text(json.dumps({**json.loads((run / name).read_text()), "clirbench": "0.0.9"}))
    cb.load(run).save(tmp_path / "copy")
    assert read_manifest(tmp_path / "copy")["clirbench"] == "0.0.9"  # what was saved is of that version


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\n", "\u009b2J", "\u202e", "\u2028", "\x7f"])
def test_a_name_of_a_stranger_s_stays_one_line_that_a_terminal_does_not_obey(run: Path, hostile: str) -> None:
    text = (run / MANIFEST).read_text(encoding="utf-8")
    (run / MANIFEST).write_text(text.replace('"systems.tsv"', json.dumps(f"a{hostile}b")), encoding="utf-8")
    lines = list(broken(run))
    assert len(lines) > 1
    assert not any(UNSEEN.search(line.replace("\n", "\0")) for line in lines)
    assert [line for line in lines if line.startswith("a\\") and line.endswith("b: is not there")]


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def linked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def hard_linked(path: Path) -> None:
    os.link(path, path.parent.parent / "elsewhere")


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("name", ["systems.tsv", "plan.tsv", MARKER, "provenance.json"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed, "is not what manifest.json sealed"),
        (lambda path: path.write_text("x"), "has not the "),
        (Path.unlink, "is not there"),
        (linked, "is a link"),
        (hard_linked, "hard link"),
        (piped, "is no file, but a pipe"),
    ],
    ids=["byte", "size", "gone", "link", "hard link", "pipe"],
)
def test_what_changed_is_named(run: Path, name: str, change: Callable[[Path], object], said: str) -> None:
    change(run / name)
    lines = list(broken(run))
    assert any(name in line for line in lines), lines
    assert name == MARKER or any(said in line for line in lines), lines


@pytest.mark.parametrize("name", ["decision.tsv", "figures/x.svg", "trec/x.run", "manifest.json.bak"])
def test_a_file_that_no_run_wrote_is_named(run: Path, name: str) -> None:
    put(run / name, "x")
    assert list(broken(run)) == [f"{name}: no run wrote it"]


def test_what_is_no_part_of_a_run_may_lie_there(run: Path) -> None:
    for name in ("manifest.json.sig", "watch.jsonl", ".watching", "previous-1/anything"):
        put(run / name, "x")
    assert list(broken(run)) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2), ("version", "1"), ("files", []), ("files", {"../x": {"size": 1, "sha256": "0" * 64}}),
        ("files", {"/x": {"size": 1, "sha256": "0" * 64}}), ("files", {"x": {"size": -1, "sha256": "0" * 64}}),
        ("files", {"x": {"size": 1e3, "sha256": "0" * 64}}), ("files", {"x": {"size": 1, "sha256": "0"}}),
        ("files", {"a//b": {"size": 1, "sha256": "0" * 64}}), ("inputs", {"/x": None}), ("clirbench", 1),
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_named(run: Path, key: str, value: object) -> None:
    found = json.loads((run / MANIFEST).read_text())
    (run / MANIFEST).write_text(json.dumps({**found, key: value}))
    (line,) = broken(run)
    assert str(run / MANIFEST) in line
    (run / MANIFEST).unlink()
    (line,) = broken(run)
    assert "it has no manifest.json" in line


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n", "\r\n"), (": ", ":\t"), ('"size": ', '"note": "checked", "size": '), ("{", '{"note": "checked",'),
     ('"version": 1', '"version": 1, "note": {}'), ("e", "\\u0065")],
)  # fmt: skip
def test_a_manifest_of_the_same_content_that_no_run_wrote_is_named(run: Path, old: str, new: str) -> None:
    """Every byte of the seal counts: nothing can be added to it that nobody compares."""
    sealed = (run / MANIFEST).read_bytes()
    (run / MANIFEST).write_bytes(sealed.replace(old.encode(), new.encode(), 1))
    assert (run / MANIFEST).read_bytes() != sealed
    assert list(broken(run)) == ["manifest.json: is not written as a run writes it"]


def test_a_folder_of_folders_is_walked(run: Path) -> None:
    deep = run
    for _ in range(200):
        deep = deep / "d"
        deep.mkdir()
    frames = len(inspect.stack())
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(frames + 100)  # fewer than there are folders
    try:
        assert list(broken(run)) == []
    finally:
        sys.setrecursionlimit(before)


def test_an_empty_folder_of_a_run_is_no_difference(tmp_path: Path) -> None:
    """`output.figures=[]` leaves one."""
    run = cb.run("europarl_csen_published", units="none", output__figures=[]).save(tmp_path / "run")
    assert "figures" in (run / MARKER).read_text().split()
    assert list(broken(run)) == []
