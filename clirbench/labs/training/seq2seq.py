"""The default trainer: a Marian-shaped Transformer from scratch by transformers' Seq2SeqTrainer; an extra."""

import copy
import json
import math
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.checks import number, one_of, require, version_of, whole_number
from clirbench.corpora.sentences import split_pair
from clirbench.errors import ResourceError
from clirbench.labs.training.base import CUT, PROGRESS, TrainingRun, saved_checkpoints
from clirbench.labs.training.ct2 import PAD, encoded, export, padded
from clirbench.labs.training.texts import read_pairs
from clirbench.labs.training.vocabulary import SOURCE, TARGET, processor
from clirbench.store.whole import sweep, write_whole

POOL = 50
"""Batches whose lines are sorted by length together: little padding, and still another order in each epoch."""
NEW_TOKENS = 256
"""An output ends there at the latest."""
LOGS = 50
"""Lines of progress in a training run."""
CHECKED = 8
"""Held-out lines whose translations are checked at each export."""


@dataclass(frozen=True)
class TransformersTrainer:
    """A Transformer with the numbers of the cell's architecture, trained by Adam; the same seed gives the same model.

    `batch_tokens`: of one update, the longer side with its padding counts. `max_tokens`: a pair with a longer line is
    split where sentences end, if both sides have as many; else the line is cut; cut.json counts both.
    `learning_rate` is reached after `warmup` updates and falls with the inverse square root from there on. `clip`: the
    greatest norm of a gradient. `threads`: of one training run. `precision`: float32, or bfloat16 where a GPU has it.

    Source and target have embeddings of their own, those of the target are the output's too (Gowda 2020, section 3).
    """

    batch_tokens: int = 6000
    max_tokens: int = 512
    learning_rate: float = 5e-4
    warmup: int = 4000
    label_smoothing: float = 0.1
    clip: float = 1.0
    threads: int = 1
    device: str = "auto"
    precision: str = "float32"

    def __post_init__(self) -> None:
        for name in ("batch_tokens", "max_tokens", "threads"):
            whole_number(f"grid.trainer.{name}", getattr(self, name))
        whole_number("grid.trainer.warmup", self.warmup, least=0)
        for name in ("learning_rate", "clip"):
            number(f"grid.trainer.{name}", getattr(self, name), above=0)
        number("grid.trainer.label_smoothing", self.label_smoothing, least=0, below=1)
        one_of("grid.trainer.device", self.device, ("auto", "cpu"))
        one_of("grid.trainer.precision", self.precision, ("float32", "bfloat16"))

    libraries = ("torch", "transformers.trainer_seq2seq", "transformers.models.marian.modeling_marian", "ctranslate2")

    @property
    def versions(self) -> str:
        names = ("torch", "transformers", "accelerate", "sentencepiece", "ctranslate2", "numpy")
        return "|".join(f"{name}:{version_of(name)}" for name in names)

    @property
    def translate(self) -> Sequence[str]:
        most = f"max_source_tokens={self.max_tokens}", f"max_new_tokens={min(NEW_TOKENS, self.max_tokens - 1)}"
        return ("systems/translator=ctranslate2", *(f"systems.translator.{setting}" for setting in most))

    def check(self) -> None:
        require("clirbench train", "train", "torch", "transformers", "accelerate", "sentencepiece", "ctranslate2")

    def checkpoints(self, folder: Path) -> Mapping[int, Path]:
        return saved_checkpoints(folder)

    def train(self, cell: TrainingRun, folder: Path) -> None:
        import torch
        from transformers import Seq2SeqTrainingArguments, set_seed

        torch.set_num_threads(self.threads)
        set_seed(cell.seed)
        languages, home = (cell.source, cell.target), cell.vocabulary_in(folder)
        sides = processor(home / SOURCE), processor(home / TARGET)
        model = _model(cell, [pieces.get_piece_size() for pieces in sides], self.max_tokens)
        lines = read_pairs(cell.text(folder), "train", languages)
        pairs, cut = coded_pairs(sides, lines, self.max_tokens)
        write_whole(folder / CUT, json.dumps(cut).encode())
        if not pairs:
            raise ResourceError("no pair has text on both sides")
        updates = batches([max(map(len, pair)) for pair in pairs], cell, self.batch_tokens)
        held = read_pairs(cell.text(folder), "valid", languages)[0]
        arguments = Seq2SeqTrainingArguments(
            output_dir=str(folder / "trainer"), max_steps=cell.steps, save_steps=cell.save_every, seed=cell.seed,
            per_device_train_batch_size=1, learning_rate=self.learning_rate, lr_scheduler_type="inverse_sqrt",
            warmup_steps=self.warmup, label_smoothing_factor=self.label_smoothing, max_grad_norm=self.clip,
            adam_beta2=0.98, adam_epsilon=1e-9, logging_steps=max(1, cell.steps // LOGS),
            logging_nan_inf_filter=False, report_to=[], disable_tqdm=True, use_cpu=self.device == "cpu",
            bf16=self.precision == "bfloat16", remove_unused_columns=False, dataloader_pin_memory=False,
        )  # fmt: skip
        trainer = _trainer(model, arguments, [[pairs[row] for row in rows] for rows in updates])
        trainer.add_callback(_keeper(cell, folder, [line for line in held if line.strip()][:CHECKED]))
        try:
            trainer.train(resume_from_checkpoint=_last_whole(folder))
        finally:
            _last_whole(folder)  # on a full disk there is room again for the other cells


def coded_pairs(
    sides: Sequence[Any], lines: Sequence[Sequence[str]], most: int
) -> tuple[list[tuple[list[int], list[int]]], dict[str, int]]:
    """Source and target ids of every pair with text on both sides, and how many pairs were too long, split and cut."""

    def fit(pair: tuple[str, str]) -> bool:
        return all(len(pieces.encode(line)) < most for pieces, line in zip(sides, pair, strict=True))

    whole = list(zip(*lines, strict=True))
    parts = [split_pair(pair, fit) for pair in whole]
    long = [of_pair for pair, of_pair in zip(whole, parts, strict=True) if len(of_pair) > 1 or not fit(pair)]
    cut = sum(not all(map(fit, of_pair)) for of_pair in long)
    flat = zip(*(part for of_pair in parts for part in of_pair), strict=True)
    coded = (encoded(pieces, of_side, most) for pieces, of_side in zip(sides, flat, strict=True))
    split = sum(len(of_pair) > 1 for of_pair in long)
    counts = {"pairs": len(whole), "long": len(long), "split": split, "cut": cut, "most": most}
    return [pair for pair in zip(*coded, strict=True) if min(map(len, pair)) > 1], counts


def batches(lengths: Sequence[int], cell: TrainingRun, tokens: int) -> list[list[int]]:
    """The pairs of every update, decided beforehand: whoever resumes sees what he would have seen.

    In each epoch the pairs are shuffled; as many as make `POOL` batches are sorted by length and cut into batches of
    at most `tokens` tokens with padding (or one longer pair); the batches of the epoch are shuffled.
    """
    found: list[list[int]] = []
    size, epoch = np.array(lengths), 0
    while len(found) < cell.steps:
        generator = np.random.default_rng([cell.seed, epoch])
        shuffled, of_epoch = generator.permutation(len(size)), list[list[int]]()
        pool = max(1, int(POOL * tokens / size.mean()))
        for start in range(0, len(shuffled), pool):
            part = shuffled[start : start + pool]
            batch: list[int] = []
            for row in part[np.argsort(size[part], kind="stable")].tolist():
                if batch and (len(batch) + 1) * lengths[row] > tokens:
                    of_epoch.append(batch)
                    batch = []
                batch.append(row)
            of_epoch.append(batch)
        found += [of_epoch[i] for i in generator.permutation(len(of_epoch))]
        epoch += 1
    return found[: cell.steps]


def _model(cell: TrainingRun, sizes: Sequence[int], positions: int) -> Any:
    """A model with random weights; id 0 is padding, which begins an output as zeros; a piece has its id plus 1."""
    from transformers import MarianConfig, MarianMTModel

    settings = MarianConfig(
        vocab_size=sizes[0] + 1, decoder_vocab_size=sizes[1] + 1, share_encoder_decoder_embeddings=False,
        pad_token_id=PAD, decoder_start_token_id=PAD, eos_token_id=2, forced_eos_token_id=None,
        max_position_embeddings=positions, scale_embedding=True, **cell.numbers,
    )  # fmt: skip
    model = MarianMTModel(settings)
    embedding = model.model.decoder.embed_tokens.weight
    assert embedding is model.lm_head.weight
    embedding.data[PAD] = 0.0
    # As a row of the output's weights it would be moved.
    embedding.register_hook(lambda gradient: gradient.index_fill(0, gradient.new_tensor([PAD]).long(), 0.0))
    return model


def _trainer(model: Any, arguments: Any, updates: Sequence[Any]) -> Any:
    """A Seq2SeqTrainer that goes through the batches in their order."""
    import torch
    from transformers import Seq2SeqTrainer

    class InOrder(Seq2SeqTrainer):  # type: ignore[misc]
        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            return torch.utils.data.SequentialSampler(updates)

    return InOrder(model=model, args=arguments, train_dataset=updates, data_collator=_collated)


def _collated(found: Sequence[Sequence[tuple[list[int], list[int]]]]) -> dict[str, Any]:
    """One batch as tensors; a line ends with `</s>`, an output begins with padding."""
    import torch

    (pairs,) = found
    source, target = (padded([ids[side] for ids in pairs]) for side in (0, 1))
    begun = torch.cat([torch.full((len(pairs), 1), PAD), target[:, :-1]], dim=1)
    labels = target.masked_fill(target == PAD, -100)
    return {"input_ids": source, "attention_mask": source.ne(PAD).long(), "decoder_input_ids": begun, "labels": labels}


def _keeper(cell: TrainingRun, folder: Path, lines: Sequence[str]) -> Any:
    """Told of every log line and every checkpoint: writes progress, stops at a loss that is no number, exports."""
    from transformers import TrainerCallback

    class Keeper(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            if logs and "loss" in logs:
                loss = float(logs["loss"])
                row = {"step": state.global_step, "loss": loss if math.isfinite(loss) else None, "at": time.time()}
                with (folder / PROGRESS).open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(row) + "\n")
                if not math.isfinite(loss):
                    raise ResourceError(f"the loss is {loss} at step {state.global_step}; try a lower learning_rate")

        def on_save(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
            step, home = state.global_step, folder / "trainer"
            kept = [home / f"checkpoint-{s}" for s in sorted({*saved_checkpoints(folder), step})][-cell.average :]
            export(_averaged(model, kept), cell.vocabulary_in(folder), folder / "models" / f"step{step}", lines)
            for path in home.glob("checkpoint-*"):
                if path not in kept:
                    shutil.rmtree(path)
                elif path != kept[-1]:  # the last one alone is gone on from
                    (path / "optimizer.pt").unlink(missing_ok=True)

    return Keeper()


def _averaged(model: Any, folders: Sequence[Path]) -> Any:
    """The model with the mean of the weights of some checkpoints, the model itself among them."""
    if len(folders) < 2:
        return model
    import torch
    from safetensors.torch import load_file

    states = [load_file(folder / "model.safetensors") for folder in folders]
    averaged = copy.deepcopy(model)
    averaged.load_state_dict(
        {name: torch.stack([state[name].float() for state in states]).mean(dim=0) for name in states[0]}, strict=False
    )
    return averaged


def _last_whole(folder: Path) -> str | None:
    """The checkpoint to go on from: the last that was exported, as it was written before; others are half-written."""
    home, steps = folder / "trainer", saved_checkpoints(folder)
    last = max(steps, default=0)
    for path in home.glob("checkpoint-*"):
        if int(path.name.partition("-")[2]) > last:
            shutil.rmtree(path)
    sweep(folder / "models")
    found = home / f"checkpoint-{last}"
    return str(found) if (found / "optimizer.pt").is_file() else None
