"""A watch refuses a journal whose events no watch wrote."""

from pathlib import Path

import pytest

from clirbench.errors import StoreError
from clirbench.files.run_files import Journal
from clirbench.labs.watching.commands.watch import SHAPES

CHECKPOINT = '{"event": "checkpoint", "system": "a", "metadata": {}, "values": {"BLEU": 1.5, "MAP": null}}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "line 2: it is no object"),
        ('{"event": "checkpoint"}', "line 2: 'system' is missing"),
        (CHECKPOINT.replace('"a"', '["a"]'), "line 2: 'system' is no text"),
        (CHECKPOINT.replace("{}", '{"step": 5}'), "line 2: 'step' is no text"),
        (CHECKPOINT.replace("1.5", '"1.5"'), "line 2: 'BLEU' is no number"),
        (CHECKPOINT.replace("1.5", "NaN"), "line 2: not JSON .NaN is no finite number"),
        (CHECKPOINT.replace("{}", "{}, " + '"made_from": 5'), "line 2: 'made_from' is no text"),
        ('{"event": "report", "made_from": []}', "line 2: 'made_from' is no text"),
    ],
)
def test_valid_json_that_no_watch_wrote_is_named_by_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(f"{CHECKPOINT}\n{line}\n", encoding="utf-8")
    with pytest.raises(StoreError, match=rf"events.jsonl: not a journal of clirbench \({said}.*remove it"):
        list(Journal(path, SHAPES))
