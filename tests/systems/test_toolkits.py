"""Folders as training toolkits write them: every checkpoint in order, and nothing else.

How each names its files stands in the toolkit's own code, where it was looked up:

* fairseq: `fairseq/checkpoint_utils.py`, save_checkpoint (facebookresearch/fairseq, 00bc279)
* marian: `src/training/graph_group.cpp`, GraphGroup::save, without --overwrite, and saveCheckpoint for the optimizer
  (marian-nmt/marian-dev, 02678ef)
* OpenNMT-py: `onmt/models/model_saver.py`, ModelSaver._save (OpenNMT/OpenNMT-py, 0734288); OpenNMT-tf:
  `opennmt/utils/checkpoint.py` (OpenNMT/OpenNMT-tf, 06cb10b) leaves it to TensorFlow's `tf.train.CheckpointManager`
* transformers: `src/transformers/trainer_utils.py`, PREFIX_CHECKPOINT_DIR and get_last_checkpoint
  (huggingface/transformers, 007360d)
"""

from pathlib import Path

import pytest
import yaml

from clirbench.errors import ConfigError, InputError
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.metadata import Toolkit
from tests.systems.sides import ENGLISH, folder_corpus, two_sided, write

CONF = Path(__file__).resolve().parents[2] / "conf" / "systems" / "toolkit"
LAYOUTS = {
    "fairseq": (
        ["checkpoint_1_500.pt", "checkpoint_1_1000.pt", "checkpoint1.pt", "checkpoint_2_1500.pt", "checkpoint10.pt"],
        ["checkpoint_best.pt", "checkpoint_last.pt", "checkpoint.best_bleu_30.10.pt", "train.log"],
    ),
    "marian": (
        ["model.iter5000.npz", "model.iter10000.npz"],
        ["model.npz", "model.npz.yml", "model.npz.optimizer.npz", "model.npz.progress.yml", "model.npz.best-bleu.npz",
         "model.npz.decoder.yml", "model.npz.best-bleu.npz.decoder.yml", "model.iter5000.npz.orig.npz"],
    ),
    "opennmt": (
        ["model_step_5000.pt", "model_step_10000.pt"],
        ["vocab.pt", "checkpoint", "model_avg.pt"],
    ),
    "opennmt-tf": (
        ["ckpt-5000.index", "ckpt-10000.index"],
        ["checkpoint", "ckpt-5000.data-00000-of-00001", "ckpt-10000.data-00000-of-00001", "avg"],
    ),
    "huggingface": (
        ["checkpoint-500", "checkpoint-1000"],
        ["runs", "tmp-checkpoint-1500", "checkpoint-best", "model.safetensors", "trainer_state.json"],
    ),
}  # fmt: skip


def toolkit(name: str) -> Toolkit:
    return Toolkit(yaml.safe_load((CONF / f"{name.partition('-')[0]}.yaml").read_text(encoding="utf-8"))["names"])


def test_all_of_them_are_tested() -> None:
    assert {path.stem for path in CONF.glob("*.yaml")} == {name.partition("-")[0] for name in LAYOUTS}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_folder_as_it_is_written(name: str, tmp_path: Path) -> None:
    checkpoints, others = LAYOUTS[name]
    for file in [*others, *checkpoints]:
        write(tmp_path / "out" / f"{file}.txt", ENGLISH)
        write(tmp_path / "models" / file / "x", ("x",))
    models = CheckpointSystems(model=str(tmp_path / "models"), toolkit=toolkit(name))
    assert sorted(match.path.name for match in models.matches("model")) == sorted(checkpoints)
    systems = CheckpointSystems(pattern=f"{tmp_path}/out/%checkpoint%.txt", toolkit=toolkit(name))
    found = systems.translations(folder_corpus(tmp_path / "data"))
    assert [Path(t.collection.where).name for t in found if t.collection] == [f"{file}.txt" for file in checkpoints]


def test_names_and_columns_of_fairseq(tmp_path: Path) -> None:
    for file in LAYOUTS["fairseq"][0]:
        write(tmp_path / "s7" / f"{file}.txt", ENGLISH)
    systems = CheckpointSystems(pattern=f"{tmp_path}/s%seed%/%checkpoint%.txt", toolkit=toolkit("fairseq"))
    found = systems.translations(folder_corpus(tmp_path / "data"))
    assert [t.system for t in found] == [
        "seed7-epoch1-step500", "seed7-epoch1-step1000", "seed7-epoch1", "seed7-epoch2-step1500", "seed7-epoch10",
    ]  # fmt: skip
    assert dict(found[0].metadata) == {"seed": "7", "epoch": "1", "step": "500", "group": "epoch1-step500"}
    assert "step" not in found[2].metadata, "how many updates an epoch has is not in the name"


def test_where_nothing_has_a_step_the_epoch_is_one(tmp_path: Path) -> None:
    for epoch in (9, 10):
        write(tmp_path / f"checkpoint{epoch}.pt.txt", ENGLISH)
    found = CheckpointSystems(pattern=f"{tmp_path}/%checkpoint%.txt", toolkit=toolkit("fairseq")).translations(
        folder_corpus(tmp_path / "data")
    )
    assert [(t.system, dict(t.metadata)) for t in found] == [
        ("epoch9", {"epoch": "9", "step": "9"}),
        ("epoch10", {"epoch": "10", "step": "10"}),
    ]


def test_both_sides(tmp_path: Path) -> None:
    corpus = two_sided(tmp_path)
    for step in (5, 10):
        write(tmp_path / "c" / f"checkpoint-{step}.txt", ENGLISH)
        write(tmp_path / "t" / f"checkpoint-{step}.txt", ("a", "b"))
    systems = CheckpointSystems(
        pattern=f"{tmp_path}/c/%checkpoint%.txt",
        test_pattern=f"{tmp_path}/t/%checkpoint%.txt",
        toolkit=toolkit("huggingface"),
    )
    assert [t.system for t in systems.translations(corpus)] == ["step5", "step10"]


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"no checkpoint-%step% in .*, which holds x"):
        CheckpointSystems(model=str(tmp_path), toolkit=toolkit("huggingface")).matches("model")
    with pytest.raises(ConfigError, match="no placeholder"):
        CheckpointSystems(model=str(tmp_path), toolkit=Toolkit(["checkpoint"]))
