"""A journal holds whole lines, whatever ended its writer."""

from pathlib import Path

import pytest

from clirbench.errors import StoreError
from clirbench.labs.watching.journal import Journal


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "watch.jsonl")
    journal.add("checkpoint", system="a\u2028b")
    with journal.path.open("ab") as stream:
        stream.write(b'{"event": "check')
    assert [row["system"] for row in journal] == ["a\u2028b"]
    journal.add("checkpoint", system="c")
    assert [row["system"] for row in journal] == ["a\u2028b", "c"]
    journal.path.write_text("something else\n", encoding="utf-8")
    with pytest.raises(StoreError, match="not a journal of a watch"):
        list(journal)
