"""The default trainer on real text: the same bytes after a kill, checkpoints that are means, a loss of NaN."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.training.base import Trainer, TrainingRun, read_cell, saved_checkpoints
from clirbench.labs.training.grid import plan, train
from clirbench.labs.training.progress import cut_notes, progress_of, shown_progress
from clirbench.labs.training.seq2seq import TransformersTrainer, batches, coded_pairs
from tests.conftest import PACKAGE
from tests.labs.training.toys import grid, text

SMALL = {
    "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "dropout": 0.1,
}  # fmt: skip
TRAINER = TransformersTrainer(batch_tokens=300, max_tokens=64, learning_rate=0.01, warmup=5)


def cell_of(
    tmp_path: Path, lines: list[str], trainer: Trainer = TRAINER, **settings: object
) -> tuple[TrainingRun, Path]:
    kept = {
        "trainer": trainer, "sizes": [40], "vocabularies": ["bpe100"], "seeds": [1],
        "architectures": {"small": SMALL}, "steps": 40, "save_every": 20, **settings,
    }  # fmt: skip
    made = grid(tmp_path, text(tmp_path / "data", lines), **kept)
    folder, cell = next(iter(plan(made, Serial()).items()))
    return cell, folder


def exports(folder: Path) -> Mapping[str, str]:
    """The content of every file of every checkpoint."""
    files = sorted(path for path in (folder / "models").rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


def test_every_pair_takes_part_in_each_epoch_and_a_batch_is_as_large_as_it_may_be(lines: list[str]) -> None:
    generator = np.random.default_rng(1)
    lengths = [*generator.integers(1, 60, 500).tolist(), 900]
    cell = TrainingRun(501, "v", "a", 3, {}, 400, 100, 1, "xx", "en", "", "")
    found = batches(lengths, cell, 300)
    assert len(found) == 400
    assert all(max(lengths[i] for i in batch) * len(batch) <= 300 or len(batch) == 1 for batch in found)
    seen = [row for batch in found for row in batch]
    assert sorted(seen[:501]) == list(range(501))
    assert seen[:501] != seen[501:1002]
    assert batches(lengths, replace(cell, steps=100), 300) == found[:100]
    assert batches(lengths, replace(cell, seed=4), 300) != found
    # Little padding: sorted together, a batch holds lines of like length.
    tokens = sum(sum(lengths[i] for i in batch) for batch in found)
    assert tokens / sum(max(lengths[i] for i in batch) * len(batch) for batch in found) > 0.85


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch_tokens": 0}, "grid.trainer.batch_tokens=0"),
        ({"learning_rate": 0.0}, "grid.trainer.learning_rate=0.0 must be a number above 0"),
        ({"precision": "int8"}, "grid.trainer.precision='int8' is not one of"),
        ({"label_smoothing": 1.0}, "below 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        TransformersTrainer(**settings)  # type: ignore[arg-type]


def test_without_the_extra_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.checks.find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"clirbench train needs the libraries torch, .*pip install '\.\[train\]'"):
        TRAINER.check()


@pytest.mark.slow
@pytest.mark.usefixtures("torch", "workers")
def test_killed_in_the_middle_it_comes_to_the_same_bytes(tmp_path: Path, lines: list[str]) -> None:
    cell, straight = cell_of(tmp_path / "a", lines, average=2)
    TRAINER.train(cell, straight)
    _, folder = cell_of(tmp_path / "b", lines, average=2)
    code = f"from clirbench.labs.training.worker import Train; Train()({str(folder)!r})"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    asked = subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)
    while 20 not in saved_checkpoints(folder):  # in the second half, before the last checkpoint
        time.sleep(0.02)
    os.killpg(asked.pid, signal.SIGKILL)
    asked.wait()
    done = progress_of("b", folder).state
    time.sleep(1)  # for what it started
    (folder / "trainer" / "checkpoint-33").mkdir(parents=True)  # half-written
    TRAINER.train(cell, folder)
    assert len(exports(folder)) == 12
    assert exports(folder) == exports(straight)
    losses = [{row["step"]: row["loss"] for row in map(json.loads, (f / "progress.jsonl").read_text().splitlines())}
              for f in (straight, folder)]  # fmt: skip
    assert losses[0] == losses[1]
    assert done in ("begun", "done")
    kept = sorted(path.name for path in (folder / "trainer").iterdir())
    assert kept == ["checkpoint-20", "checkpoint-40"]  # a mean needs no more
    assert not (folder / "trainer" / "checkpoint-20" / "optimizer.pt").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_it_learns_what_it_is_shown_and_ctranslate2_says_so(tmp_path: Path) -> None:
    pairs = [
        f"{a} {b}" for a in ("the dog", "a cat", "the red bird", "one man") for b in ("sleeps", "eats", "runs now")
    ]
    trainer = replace(TRAINER, learning_rate=0.02, label_smoothing=0.0)
    cell, folder = cell_of(
        tmp_path, [*pairs] * 4, trainer, architectures={"small": {**SMALL, "dropout": 0.0}}, steps=120, save_every=60,
        vocabularies=["bpe40"],
    )  # fmt: skip
    trainer.train(cell, folder)
    models = pytest.importorskip("clirbench.labs.models.ctranslate2", reason="needs the laboratory models")
    with models.CTranslate2Translator(device="cpu").loaded(saved_checkpoints(folder)[120]) as engine:
        written = list(engine([line[::-1] for line in pairs]))
    assert sum(a == b for a, b in zip(written, pairs, strict=True)) >= 11


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_the_limit_of_positions_is_in_the_model_and_pairs_beyond_it_are_counted(
    tmp_path: Path, lines: list[str]
) -> None:
    many = [*lines[:30], *(f"{a} {b} {c} {d}" for a, b, c, d in zip(*[iter(lines[30:])] * 4, strict=False))] * 2
    trainer = replace(TRAINER, max_tokens=40)
    cell, folder = cell_of(tmp_path, many, trainer, steps=2, save_every=2)
    trainer.train(cell, folder)
    model = saved_checkpoints(folder)[2]
    assert json.loads((model / "config.json").read_text(encoding="utf-8"))["max_position_embeddings"] == 40
    counts = json.loads((folder / "cut.json").read_text(encoding="utf-8"))
    assert (counts["pairs"], counts["most"]) == (40, 40)
    assert 0 < counts["long"] <= counts["split"] + counts["cut"] <= 40 + counts["split"]
    (note,) = cut_notes({folder: cell})
    assert note.startswith(f"40-bpe100: {counts['long']} of 40 training pairs have more than 39 pieces: ")
    assert note in list(shown_progress(folder.parents[1]))
    # A run that does not know the trainer's limit translates the longest lines all the same.
    models = pytest.importorskip("clirbench.labs.models.ctranslate2", reason="needs the laboratory models")
    with models.CTranslate2Translator(device="cpu").loaded(model) as engine:
        assert len(engine([" ".join(lines)[::-1]])) == 1


def test_pairs_that_are_too_long_are_split_where_both_sides_end_a_sentence() -> None:
    """Pieces here are words, with their place in the alphabet for an id."""

    class Words:
        def encode(self, text: str | list[str], out_type: type = int) -> list[Any]:
            if isinstance(text, list):
                return [self.encode(line) for line in text]
            return [ord(word[0]) - ord("a") for word in text.split()]

        def eos_id(self) -> int:
            return 98

    source = ["a b.", "a b. c d. e f.", "a b. c d e f g.", "a b c d e f."]
    target = ["k.", "l. m. n.", "o. p.", "q. r."]
    pairs, counts = coded_pairs([Words(), Words()], [source, target], 5)
    assert counts == {"pairs": 4, "long": 3, "split": 2, "cut": 2, "most": 5}
    # By hand: at most four words and the end of a line, 99; "c d e f g." and "a b c d e f." lose their last words.
    assert [one for one, _ in pairs] == [
        [1, 2, 99], [1, 2, 3, 4, 99], [5, 6, 99], [1, 2, 99], [3, 4, 5, 6, 99], [1, 2, 3, 4, 99],
    ]  # fmt: skip
    assert [two for _, two in pairs] == [[11, 99], [12, 13, 99], [14, 99], [15, 99], [16, 99], [17, 18, 99]]


@pytest.mark.parametrize("content", [None, "[]", '{"pairs": 1}', '{"pairs": 9, "long": "9"}', "{"])
def test_no_count_of_pairs_is_no_note(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "cut.json").write_text(content, encoding="utf-8")
    cell = TrainingRun(40, "bpe100", "small", 1, SMALL, 2, 1, 1, "xx", "en", "", "")
    assert cut_notes({tmp_path: cell}) == []


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_a_checkpoint_is_the_mean_of_the_last_ones(tmp_path: Path, lines: list[str]) -> None:
    from safetensors.torch import load_file

    from clirbench.labs.training.ct2 import check, export
    from clirbench.labs.training.seq2seq import _averaged, _model

    cell, folder = cell_of(tmp_path, lines, steps=4, save_every=2, average=2)
    TRAINER.train(cell, folder)
    kept = [folder / "trainer" / f"checkpoint-{step}" for step in (2, 4)]
    first, second = (load_file(path / "model.safetensors") for path in kept)
    model = _model(cell, [100, 100], 64)
    mean = _averaged(model, kept).state_dict()
    name = "model.decoder.layers.0.fc1.weight"
    assert float((mean[name] - (first[name] + second[name]) / 2).abs().max()) < 1e-7
    assert float(mean["lm_head.weight"][0].abs().max()) == 0.0  # the padding stays where an output begins
    # Another model than the one that was exported is found out.
    export(_averaged(model, kept), cell.vocabulary_in(folder), tmp_path / "mean", lines[:4])
    with pytest.raises(ResourceError, match="CTranslate2 does not write what the model writes"):
        check(model, tmp_path / "mean", lines[:4])
    forward = model.forward
    model.forward = lambda **given: _turned(forward(**given))
    with pytest.raises(ResourceError, match="does not write what the model writes"):
        export(model, cell.vocabulary_in(folder), tmp_path / "other", lines[:4])
    assert not (tmp_path / "other").exists()


def _turned(found: Any) -> Any:
    """Answers that are not those of the weights."""
    found.logits = -found.logits
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_a_loss_that_is_no_number_ends_the_cell(tmp_path: Path, lines: list[str]) -> None:
    trainer = replace(TRAINER, learning_rate=1e30, clip=1e30)
    cell, folder = cell_of(tmp_path, lines, trainer)
    with pytest.raises(ResourceError, match="the loss is nan at step .*; try a lower learning_rate"):
        read_cell(folder)[1].train(cell, folder)


@pytest.mark.slow
@pytest.mark.usefixtures("torch", "workers")
@pytest.mark.filterwarnings("default")  # of the library
def test_the_cells_of_a_grid_by_dask_and_one_is_too_large_for_the_memory(tmp_path: Path, lines: list[str]) -> None:
    huge = {**SMALL, "encoder_ffn_dim": 1 << 40}
    kept = {"trainer": TRAINER, "sizes": [40], "vocabularies": ["bpe100"], "seeds": [1], "steps": 2, "save_every": 1}
    made = grid(tmp_path, text(tmp_path / "data", lines), **kept, architectures={"huge": huge, "small": SMALL})
    clusters = pytest.importorskip("clirbench.labs.clusters.dask", reason="needs the laboratory clusters")
    failed = train(plan(made, Serial()), clusters.Dask(workers=1), lambda title, outcomes, total: outcomes)
    assert failed == {"40-bpe100-huge-1": "the memory is not enough; try a smaller batch or fewer workers"}
    told = list(shown_progress(made.home))
    assert told[0].startswith("40-bpe100-huge-1   failed, step 0 of 2: the memory is not enough")
    assert told[1].startswith("40-bpe100-small-1  done, step 2 of 2, loss ")
