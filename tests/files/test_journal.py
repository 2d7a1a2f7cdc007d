"""A journal is only appended to, and holds whole lines, whatever ended its writer."""

import os
from pathlib import Path

import pytest

from clirbench.errors import InputError
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
    with pytest.raises(InputError, match="events.jsonl: line 1: not JSON"):
        list(journal)
    journal.path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: 'event' is missing, so it is not a journal of clirbench; remove it"):
        list(journal)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: is no regular file"):
        list(Journal(tmp_path / "pipe"))
