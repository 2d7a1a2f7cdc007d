"""What is read from a run's folder: plain names, no links, JSON of the promised types."""

import json
import os
from pathlib import Path

import pytest

from clirbench.errors import InputError
from clirbench.files.run_files import (
    MARKER,
    PROVENANCE,
    RESULTS,
    is_plain,
    numbers,
    path_inside,
    read_marker,
    read_provenance,
    read_results,
    read_run_table,
    refuse_links,
    shape_error,
)  # fmt: skip
from clirbench.text import Limits, within_limits

ELSEWHERE = ("", ".", "..", "/etc/passwd", "../x", "a/../../x", "a/b", "a\\b", "a\0b", "x" * 256, "é" * 128)
"""Names that are no single component of a path, or longer than the 255 bytes that file systems allow."""


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_is_not_one_component_is_refused(name: str, tmp_path: Path) -> None:
    assert not is_plain(name)
    with pytest.raises(InputError):
        path_inside(tmp_path, name)


def test_a_plain_name_is_inside_and_a_link_is_refused(tmp_path: Path) -> None:
    assert path_inside(tmp_path, "trec") == tmp_path / "trec"
    (tmp_path / "trec").symlink_to(tmp_path.parent)
    with pytest.raises(InputError, match=r"trec: is a link, which may lead out of the run's folder"):
        path_inside(tmp_path, "trec")


def test_a_link_anywhere_in_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / ".hydra").mkdir()
    refuse_links(tmp_path)
    (tmp_path / ".hydra" / "config.yaml").symlink_to(tmp_path.parent / "nowhere")
    with pytest.raises(InputError, match=r"config.yaml: is a link"):
        refuse_links(tmp_path)


@pytest.mark.parametrize("line", ["../x", "/etc/passwd", "a/b", ".bashrc", MARKER, "a\na"])
def test_a_marker_names_plain_files_once(line: str, tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text(f"systems.tsv\n{line}\n")
    with pytest.raises(InputError):
        read_marker(tmp_path)


def test_a_marker_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MARKER)
    with pytest.raises(InputError, match="is no regular file"):
        read_marker(tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"answer": 1}', "'answer' is no text"),
        ('{"answer": "a", "answer": "b"}', "a key is there twice"),
        ('{"x": NaN}', "NaN is no finite number"),
        ('{"x": 1e999}', "1e999 is no finite number"),
        ('{"x": %s}' % ("9" * 5000), "4300"),
        ("[]", "it is no object"),
        ("[" * 5000, "more than 100 lists and objects within each other"),
        ('{"tables": {"a": {"columns": [1], "text": []}}}', "an item of 'columns' is no text"),
        ('{"tables": {"a": {"columns": []}}}', "'text' is missing"),
        ("{}", "'answer' is missing"),
    ],
)
def test_results_of_other_types_are_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_text(text)
    with pytest.raises(InputError, match=why):
        read_results(tmp_path, ("answer",))


def test_a_table_has_a_plain_name(tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_text(json.dumps({"tables": {"../secret": {"columns": [], "text": []}}}))
    with pytest.raises(InputError, match=r"'../secret.tsv' is not the name of a file in this folder"):
        read_results(tmp_path)


def test_provenance_is_bounded_and_typed(tmp_path: Path) -> None:
    (tmp_path / PROVENANCE).write_text(json.dumps({"configuration": {"pool": {"about": {"pair": "de-en"}}}, "x": [1]}))
    assert read_provenance(tmp_path)["x"] == [1]
    (tmp_path / PROVENANCE).write_text(json.dumps({"configuration": {"pool": {"about": {"pair": []}}}}))
    with pytest.raises(InputError, match="'about' is no"):
        read_provenance(tmp_path)
    (tmp_path / PROVENANCE).write_text(" " * (2 << 20))
    with within_limits(Limits(held_bytes=1 << 20)), pytest.raises(InputError, match="limits.held_bytes"):
        read_provenance(tmp_path)


def test_a_shape_is_a_type_one_of_several_a_list_or_names() -> None:
    assert not shape_error({"a": 1, "more": []}, {"a": (int, None), "b?": [str]})
    assert shape_error({"a": True}, {"a": int}) == "'a' is no int"
    assert shape_error({"a": {"k": 1}}, {"a": {...: str}}) == "'k' is no text"


@pytest.mark.parametrize("cell", ["x", "1_5", "nan", "inf", "1e999", "1e200"])
def test_a_cell_that_is_no_number_names_its_line(cell: str, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(f"system\tBLEU\na\t1.5\nb\t\nc\t{cell}\n")
    with pytest.raises(InputError, match=f"t.tsv: line 4: BLEU is '{cell}', a finite number .* was expected"):
        numbers(read_run_table(tmp_path, "t", ("system",)), "BLEU")
    with pytest.raises(InputError, match="no column MAP; columns: system, BLEU"):
        read_run_table(tmp_path, "t", ("system", "MAP"))


def test_half_of_a_pair_of_characters_is_read_as_the_sign_for_what_is_none(tmp_path: Path) -> None:
    """provenance.json holds exactly what was given; what is read of it can be written again."""
    (tmp_path / "provenance.json").write_text('{"command": ["title=\\ud800x"], "\\udfff": "\\ud83d\\ude00"}')
    assert read_provenance(tmp_path) == {"command": ["title=\ufffdx"], "\ufffd": "\U0001f600"}
