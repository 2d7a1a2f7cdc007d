"""A tiny Marian model, trained in the test until it knows its few sentences by heart; also converted for CTranslate2.

What it must translate is what it was trained on, so the expected English is that of PAIRS and nothing else.
"""

import json
import warnings
from pathlib import Path
from typing import Any

PAIRS = {
    "der hund schläft": "the dog sleeps",
    "die katze schläft": "the cat sleeps",
    "ein rotes buch": "a red book",
    "wo ist das haus": "where is the house",
    "das haus ist rot": "the house is red",
    "ich lese ein buch": "i read a book",
}


def train(root: Path) -> Path:
    """Train the model; returns its folder, as save_pretrained writes it."""
    import torch
    from transformers.utils import logging

    quiet: Any = logging
    quiet.disable_progress_bar()
    tokenizer = marian_tokenizer(root)
    network, pad = untrained(tokenizer), tokenizer.pad_token_id
    # Marian begins an output with a vector of zeros, which here is the embedding of the padding: keep it so.
    shared = network.get_input_embeddings().weight
    shared.data[pad] = 0.0
    shared.register_hook(lambda gradient: gradient.index_fill(0, torch.tensor([pad]), 0.0))
    source = tokenizer(list(PAIRS), return_tensors="pt", padding=True)
    target = tokenizer(text_target=list(PAIRS.values()), return_tensors="pt", padding=True)["input_ids"]
    labels = target.masked_fill(target == pad, -100)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    loss = torch.tensor(9.0)
    for _ in range(400):
        if float(loss.detach()) < 0.01:
            break
        loss = network(**source, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = root / "marian"
    network.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def untrained(tokenizer: Any) -> Any:
    """The model with random weights."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(1)
    pad = tokenizer.pad_token_id
    return MarianMTModel(
        MarianConfig(
            vocab_size=tokenizer.vocab_size, d_model=32, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64,
            max_position_embeddings=64, dropout=0.0, pad_token_id=pad, decoder_start_token_id=pad,
            eos_token_id=tokenizer.eos_token_id, forced_eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip


def marian_tokenizer(root: Path) -> Any:
    """SentencePiece models and a vocabulary learnt from PAIRS."""
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
    from transformers import MarianTokenizer

    text = root / "text.txt"
    text.write_text("".join(f"{de}\n{en}\n" for de, en in PAIRS.items()) * 5, encoding="utf-8")
    SentencePieceTrainer.train(
        input=str(text), model_prefix=str(root / "spm"), vocab_size=60, hard_vocab_limit=False, minloglevel=2
    )
    model = str(root / "spm.model")
    pieces = SentencePieceProcessor(model_file=model)
    kept = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size()) if not pieces.is_control(i)]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(["</s>", "<unk>", *kept, "<pad>"]))}
    (root / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # recommends a package that normalises punctuation
        return MarianTokenizer(model, model, str(root / "vocab.json"))


def convert(folder: Path, to: Path, *files: str) -> Path:
    """The same model as CTranslate2 reads it, with further files of the folder copied along."""
    from ctranslate2.converters import TransformersConverter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TransformersConverter(str(folder), copy_files=list(files)).convert(str(to))
    return to
