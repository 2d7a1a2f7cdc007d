"""The classes that a text is made of: characters, words, or subwords learned by byte-pair encoding."""

import io
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from clirbench.analysis.imbalance import Classes
from clirbench.errors import ConfigError, ResourceError, UnknownName

LEARNERS = ("sentencepiece", "tokenizers")
END = "</s>"
SPACE = "▁"


def words(lines: Sequence[str]) -> Classes:
    """Words split at white space, and the end of each line."""
    return _counted("words", (line.split() for line in lines), len(lines))


def characters(lines: Sequence[str]) -> Classes:
    """Characters, a space included, and the end of each line."""
    return _counted("characters", lines, len(lines))


def _counted(name: str, lines: Iterable[Iterable[str]], n: int) -> Classes:
    counts = Counter(symbol for line in lines for symbol in line)
    if not counts:
        raise ConfigError(f"vocabulary {name}: the text is empty")
    return Classes(name, np.array([n, *counts.values()], dtype=np.float64), n)


def learned(lines: Sequence[str], size: int, learner: str = "sentencepiece") -> Classes:
    """The classes of `size` that byte-pair encoding learns from the lines, as often as it writes them there.

    All ids count as classes, unused ones with frequency 0 among them; `</s>` ends each line. Needs the learner's
    package (`ResourceError` names it); raises `UnknownName` for another learner, `ConfigError` for a size that the
    text cannot give, naming what the learner says.
    """
    if learner not in LEARNERS:
        raise UnknownName("learner of subwords", learner, LEARNERS)
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise ConfigError(f"a vocabulary of {size} subwords: the text is empty")
    counts = _sentencepiece(kept, size) if learner == "sentencepiece" else _tokenizers(kept, size)
    return Classes(f"bpe{size}", counts, len(kept))


def _sentencepiece(lines: Sequence[str], size: int) -> "np.typing.NDArray[np.float64]":
    try:
        import sentencepiece
    except ImportError:
        raise ResourceError("learner=sentencepiece needs a package: pip install 'clirbench[subwords]'") from None
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, model_type="bpe", vocab_size=size,
            character_coverage=1.0, num_threads=1, bos_id=-1, eos_id=1, unk_id=0, minloglevel=2,
            max_sentence_length=1 << 20,
        )  # fmt: skip
    except RuntimeError as error:
        raise ConfigError(f"{size} subwords cannot be learned from {len(lines)} lines: {error}") from None
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    counts = np.zeros(processor.get_piece_size())
    for ids in processor.encode(list(lines), out_type=int, add_eos=True):
        np.add.at(counts, ids, 1)
    return counts


def _tokenizers(lines: Sequence[str], size: int) -> "np.typing.NDArray[np.float64]":
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        raise ResourceError("learner=tokenizers needs a package: pip install 'clirbench[subwords]'") from None
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE)
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>", END], show_progress=False)
    tokenizer.train_from_iterator(iter(lines), trainer)
    counts = np.zeros(tokenizer.get_vocab_size())
    if len(counts) > size:
        raise ConfigError(f"{size} subwords cannot be learned: {len(counts)} classes are needed for the characters")
    for encoded in tokenizer.encode_batch(list(lines)):
        np.add.at(counts, encoded.ids, 1)
    counts[tokenizer.token_to_id(END)] += len(lines)
    return counts
