"""A journal is only appended to, and holds whole lines, whatever ended its writer."""

import os
from pathlib import Path

import pytest

from clirbench.errors import StoreError
from clirbench.files.run_files import Journal


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "events.jsonl")
    journal.add("failed", system="a\u2028b")
    with journal.path.open("ab") as stream:
        stream.write(b'{"event": "check')
    assert [row["system"] for row in journal] == ["a\u2028b"]
    journal.mend()
    journal.add("failed", system="c")
    assert [row["system"] for row in journal] == ["a\u2028b", "c"]
    journal.path.write_text("something else\n", encoding="utf-8")
    with pytest.raises(StoreError, match="not a journal of clirbench"):
        list(journal)


def test_a_folder_or_a_pipe_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(StoreError, match=r"not a journal of clirbench \(it is no file\)"):
            list(Journal(tmp_path / name))
