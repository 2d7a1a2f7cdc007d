"""Texts a second of neural models of real sizes, on this machine's processor and, where there is one, its GPU.

    PYTHON -m benchmarks.models [--texts 256]

The weights are random, which costs what trained ones cost: an encoder of BERT-base's size (110 million) and a
translator of BART-base's (140 million), each saved to a folder and loaded by the code that loads a user's. PYTHON has
the extra `transformers`. Without a GPU half of the table is missing, and the script says so.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.labs.models.dense import encoder as encoder_of
from clirbench.labs.models.systems import scripted

WORDS, LENGTH, WRITTEN = 30_000, 25, 32
"""Types of the vocabulary, words of a text, tokens of a translation (a random network never ends one by itself)."""


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["<pad>", "<unk>", "<s>", "</s>", *(f"w{number}" for number in range(WORDS))]
    made = Tokenizer(models.WordLevel({name: number for number, name in enumerate(names)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def saved(folder: Path) -> tuple[Path, Path]:
    """The folders of the encoder and of the translator."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, BertConfig, BertModel
    from transformers.utils import logging

    torch.manual_seed(0)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    pieces = tokenizer()
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3}
    layers = {"encoder_layers": 6, "decoder_layers": 6, "d_model": 768, "encoder_ffn_dim": 3072}
    heads = {"decoder_ffn_dim": 3072, "encoder_attention_heads": 12, "decoder_attention_heads": 12}
    bart = BartConfig(vocab_size=len(pieces), forced_eos_token_id=None, **special, **layers, **heads)
    for name, network in (
        ("encoder", BertModel(BertConfig(vocab_size=len(pieces)))),
        ("translator", BartForConditionalGeneration(bart)),
    ):
        network.save_pretrained(folder / name)
        pieces.save_pretrained(folder / name)
    return folder / "encoder", folder / "translator"


def rates(encoder: Path, translator: Path, device: str, texts: list[str]) -> Iterator[tuple[str, float]]:
    """Texts a second of each; a first batch, which loads and warms, is not counted."""
    settings = {"pooling": "auto", "max_tokens": 512, "batch_size": 32, "dtype": "float32", "device": device}
    made = encoder_of("hf", str(encoder), **settings)
    made.encode(texts[:32])
    start = time.perf_counter()
    made.encode(texts)
    yield "encoder, BERT-base", len(texts) / (time.perf_counter() - start)
    few = texts[: max(32, len(texts) // 4)]
    more = {"beam": 1, "max_source_tokens": 512, "max_new_tokens": WRITTEN, "prefix": "", "source_language": ""}
    more |= {"target_language": "", "prompt": "{text}", "template": {}, "tokenizer": None}
    program = scripted("hf", **settings, **more).program
    with program.started(translator) as child:
        child.ask(few[:32])
        start = time.perf_counter()
        child.ask(few)
        yield "translator, BART-base, greedy", len(few) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=256)
    options = parser.parse_args()
    import torch

    drawn = np.random.default_rng(0).integers(WORDS, size=(options.texts, LENGTH))
    texts = [" ".join(f"w{word}" for word in row) for row in drawn.tolist()]
    devices = {"cpu": f"processor, {torch.get_num_threads()} threads"}
    if torch.cuda.is_available():
        devices["cuda"] = torch.cuda.get_device_name()
    else:
        print("NO GPU: torch sees none here. Only the processor is measured.", file=sys.stderr)
    print(f"| texts of {LENGTH} words a second | {' | '.join(devices.values())} |\n|{' --- |' * (len(devices) + 1)}")
    with tempfile.TemporaryDirectory() as folder:
        places = saved(Path(folder))
        found = [list(rates(*places, device, texts)) for device in devices]
    for row in zip(*found, strict=True):
        print(f"| {row[0][0]} | {' | '.join(f'{rate:.1f}' for _, rate in row)} |")


if __name__ == "__main__":
    main()
