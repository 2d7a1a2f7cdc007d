"""The callback in a real training of transformers: its four saves come out in the report.

It stands with the translators because these are tested where the models' libraries are installed.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from clirbench.files.tables import read_table
from tests.conftest import PACKAGE, write_lines
from tests.labs.watching.test_tensorboard import scalars


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # those of other libraries, while they train
def test_four_saves_of_a_training_come_out_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = [name for name in ("torch", "transformers", "accelerate", "sentencepiece") if find_spec(name) is None]
    if missing:
        pytest.skip(f"EXTRA ABSENT: pip install '.[transformers]' ({', '.join(missing)}); training is not tested")
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from clirbench.labs.watching.trainer import WatchCallback

    tiny = pytest.importorskip("tests.labs.models.tiny_models", reason="needs the tests of the laboratory models")
    data = tmp_path / "data"
    data.mkdir()
    write_lines(data / "source.txt", list(tiny.PAIRS))
    write_lines(data / "reference.txt", list(tiny.PAIRS.values()))
    write_lines(tmp_path / "topics.tsv", ["1\tdog cat sleeps", "2\tred book", "3\twhere house"])
    tokenizer = tiny.marian_tokenizer(tmp_path)
    pad = tokenizer.pad_token_id
    network = tiny.untrained(tokenizer)
    rows: list[dict[str, Any]] = []
    for german, english in tiny.PAIRS.items():
        encoded = tokenizer(german, text_target=english, padding="max_length", max_length=12)
        labels = [-100 if token == pad else token for token in encoded["labels"]]
        rows.append({**encoded, "labels": labels})
    arguments = Seq2SeqTrainingArguments(
        output_dir=str(tmp_path / "models"), max_steps=20, save_steps=5, learning_rate=0.02, use_cpu=True,
        per_device_train_batch_size=6, report_to=[], disable_tqdm=True,
    )  # fmt: skip
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]))
    callback = WatchCallback(
        f"folder={data}", "topics=tsv", f"topics.path={tmp_path / 'topics.tsv'}", "relevance.k=1", "metric=[chrF2]",
        "measures=[RBO]", f"paths.cache={tmp_path / 'cache'}", f"hydra.run.dir={tmp_path / 'out'}",
        f"--tensorboard={tmp_path / 'events'}",
    )  # fmt: skip
    Seq2SeqTrainer(network, arguments, train_dataset=rows, processing_class=tokenizer, callbacks=[callback]).train()
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [
        "checkpoint-10", "checkpoint-15", "checkpoint-20", "checkpoint-5",
    ]  # fmt: skip
    steps = ["step5", "step10", "step15", "step20"]
    assert [row["system"] for row in read_table(tmp_path / "out" / "systems.tsv").records()] == steps
    assert all(step in (tmp_path / "out" / "report.html").read_text(encoding="utf-8") for step in steps)
    assert list(scalars(tmp_path / "events" / "training")["clirbench/chrF2"]) == [5, 10, 15, 20]
