"""`clirbench train source=FILE target=FILE output_dir=DIR [key=value ...]`: trains a small MT system.

transformers' Seq2SeqTrainer does it: every other key is a setting of `Seq2SeqTrainingArguments` (`max_steps=5000`,
`save_steps=1000`, `seed=1`, `bf16=true`). The same command goes on from the last checkpoint. Checkpoints are read by
`systems=checkpoints systems.model='DIR/checkpoint-%step%'`.
"""

import shutil
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from clirbench.checks import require
from clirbench.commands.base import command_parser, run_command
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.text import TextFile

DEFAULTS = {
    "max_steps": 400, "save_steps": 200, "per_device_train_batch_size": 32, "learning_rate": 0.001, "warmup_steps": 200,
    "lr_scheduler_type": "inverse_sqrt", "adam_beta2": 0.98, "adam_epsilon": 1e-9, "label_smoothing_factor": 0.1,
    "report_to": ["none"],
}  # fmt: skip
UNK, END, PAD = SPECIAL = "<unk>", "</s>", "<pad>"


@dataclass
class Model:
    """What is trained: the first `size` pairs (0: all), one BPE vocabulary of both languages, a Marian Transformer."""

    source: str
    target: str
    size: int = 0
    pieces: int = 4000
    positions: int = 128
    d_model: int = 128
    layers: int = 1
    heads: int = 4
    ffn: int = 256
    dropout: float = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """0: trained to the end."""
    parser = command_parser("train", __doc__)
    parser.add_argument("settings", nargs="+", metavar="key=value", help="text, model, Seq2SeqTrainingArguments")
    return run_command(parser, arguments, _train)


def _train(options: Namespace) -> int:
    require("clirbench train", "train", "torch", "transformers", "accelerate")
    try:
        return _trained([part for one in options.settings for part in f"--{one}".split("=", 1)])
    except ValueError as error:  # so the library refuses a setting
        raise ConfigError(f"clirbench train: {error}") from None


def _trained(words: Sequence[str]) -> int:
    transformers: Any = import_module("transformers")
    parser = transformers.HfArgumentParser((Model, transformers.Seq2SeqTrainingArguments))
    parser.error = _refuse
    parser.set_defaults(**DEFAULTS)
    made, settings = parser.parse_args_into_dataclasses(words, look_for_args_file=False)
    transformers.set_seed(settings.seed)
    pairs = _pairs(made)
    for folder in (home := Path(settings.output_dir)).glob("checkpoint-*"):
        if not (folder / "trainer_state.json").exists():  # a killed trainer had not written all of it
            shutil.rmtree(folder)
    last = transformers.trainer_utils.get_last_checkpoint(home) if home.is_dir() else None
    if last:
        tokenizer = transformers.AutoTokenizer.from_pretrained(last)
    else:
        tokenizer = _tokenizer(transformers, [line for pair in pairs for line in pair], made)
    network = transformers.MarianMTModel(
        transformers.MarianConfig(
            vocab_size=len(tokenizer), d_model=made.d_model, encoder_layers=made.layers, decoder_layers=made.layers,
            encoder_attention_heads=made.heads, decoder_attention_heads=made.heads, encoder_ffn_dim=made.ffn,
            decoder_ffn_dim=made.ffn, dropout=made.dropout, max_position_embeddings=made.positions,
            scale_embedding=True, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.eos_token_id, forced_eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip
    rows = [dict(tokenizer(source, text_target=target, truncation=True)) for source, target in pairs]
    collate = transformers.DataCollatorForSeq2Seq(tokenizer, network)
    trainer = transformers.Seq2SeqTrainer(network, settings, collate, rows, processing_class=tokenizer)
    trainer.train(resume_from_checkpoint=last)
    return 0


def _refuse(message: str) -> NoReturn:
    raise ConfigError(f"clirbench train: {message.replace('--', '')}")


def _pairs(made: Model) -> list[tuple[str, str]]:
    files = TextFile(Path(made.source)), TextFile(Path(made.target))
    source, target = (list(islice(file.lines(), made.size or None)) for file in files)
    if len(source) != len(target):
        raise AlignmentError(f"{made.source} has {len(source)} lines, {made.target} {len(target)}")
    if found := [pair for pair in zip(source, target, strict=True) if all(map(str.strip, pair))]:
        return found
    raise InputError(f"{made.source} and {made.target}: no pair has text on both sides")


def _tokenizer(transformers: Any, lines: Sequence[str], made: Model) -> Any:
    """Learned from the lines; `</s>` ends each."""
    tokenizers: Any = import_module("tokenizers")
    pieces = tokenizers.SentencePieceBPETokenizer(unk_token=UNK)
    pieces.train_from_iterator(lines, made.pieces, special_tokens=list(SPECIAL), show_progress=False)
    pieces.post_processor = tokenizers.processors.TemplateProcessing(f"$A {END}", special_tokens=[(END, 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, unk_token=UNK, eos_token=END, pad_token=PAD,
        model_max_length=made.positions, model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
