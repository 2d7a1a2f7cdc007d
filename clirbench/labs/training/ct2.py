"""A trained model as CTranslate2 loads it, held against the model itself."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clirbench.errors import ResourceError
from clirbench.labs.training.vocabulary import SOURCE, TARGET, processor
from clirbench.store.whole import whole_folder

PAD = 0
POSITIONS = "max_position_embeddings"
"""In config.json of the model: how many pieces a line may have, which the model itself does not say."""
LONGEST = 128
"""Pieces of an output that is checked."""
TIE = 0.01
"""Two log-probabilities as near as this may come out in another order from another library."""


def encoded(pieces: Any, lines: Sequence[str], most: int) -> list[list[int]]:
    """Lines as ids of the model, `</s>` behind each; a longer one is cut."""
    given = pieces.encode(list(lines), out_type=int)
    return [[*(number + 1 for number in ids[: most - 1]), pieces.eos_id() + 1] for ids in given]


def padded(rows: Sequence[Sequence[int]]) -> Any:
    """(n, longest) ids."""
    import torch

    width = max(map(len, rows))
    return torch.tensor([[*ids, *[PAD] * (width - len(ids))] for ids in rows])


def export(model: Any, vocabulary: Path, place: Path, lines: Sequence[str]) -> None:
    """Write the model and its pieces as a folder of CTranslate2, whole or not at all.

    Raises `ResourceError` where what CTranslate2 writes for `lines` is not the model's own greedy output.
    """
    import torch
    from ctranslate2.converters.transformers import BartLoader, MarianMTLoader

    loader = MarianMTLoader()
    model.config.normalize_before = model.config.normalize_embedding = False
    with torch.no_grad():
        # The loader for Marian takes one vocabulary for both languages, with the padding at its end.
        spec = BartLoader.get_model_spec(loader, model)
    for part in (spec.encoder.embeddings[0], spec.decoder.embeddings, spec.decoder.projection):
        part.weight = part.weight[PAD + 1 :]
    for name, register in ((SOURCE, spec.register_source_vocabulary), (TARGET, spec.register_target_vocabulary)):
        pieces = processor(vocabulary / name)
        register([pieces.id_to_piece(number) for number in range(pieces.get_piece_size())])
    spec.config.unk_token, spec.config.eos_token, spec.config.decoder_start_token = "<unk>", "</s>", "</s>"
    spec.config.add_attribute(POSITIONS, model.config.max_position_embeddings)
    spec.validate()
    spec.optimize()
    with whole_folder(place) as unfinished:
        spec.save(str(unfinished))
        for name in (SOURCE, TARGET):
            shutil.copyfile(vocabulary / name, unfinished / name)
        check(model, unfinished, lines)


def check(model: Any, place: Path, lines: Sequence[str]) -> None:
    """Raise `ResourceError` unless each piece that CTranslate2 writes is the model's own best next one, ties apart."""
    import ctranslate2
    import torch

    pieces = processor(place / SOURCE), processor(place / TARGET)
    engine = ctranslate2.Translator(str(place), device="cpu", intra_threads=1)
    source = encoded(pieces[0], lines, model.config.max_position_embeddings)
    given = [[pieces[0].id_to_piece(number - 1) for number in ids] for ids in source]
    most = min(LONGEST, model.config.max_position_embeddings - 1)
    results = engine.translate_batch(given, beam_size=1, max_decoding_length=most)
    written = [[pieces[1].piece_to_id(piece) + 1 for piece in found.hypotheses[0]] for found in results]
    target = padded([[*ids, pieces[1].eos_id() + 1] for ids in written]).to(model.device)
    begun = torch.cat([torch.full_like(target[:, :1], PAD), target[:, :-1]], dim=1)
    asked = padded(source).to(model.device)
    was_training = model.training
    with torch.no_grad():
        model.eval()
        logits = model(input_ids=asked, attention_mask=asked.ne(PAD).long(), decoder_input_ids=begun).logits
    model.train(was_training)
    logits[:, :, PAD] = -torch.inf
    lost = logits.max(dim=-1).values - logits.gather(2, target[:, :, None])[:, :, 0]
    wrong = lost.gt(TIE) & target.ne(PAD)
    for row, ids in enumerate(written):
        wrong[row, most:] = False  # an output that was cut has no end
        if bool(wrong[row, : len(ids) + 1].any()):
            raise ResourceError(f"CTranslate2 does not write what the model writes, for the line {lines[row]!r}")
