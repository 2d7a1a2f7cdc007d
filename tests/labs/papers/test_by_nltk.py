"""RIBES and METEOR(nltk) equal nltk's own corpus scores; what is missing is said before any work."""

from pathlib import Path

import pytest
from nltk.translate.meteor_score import meteor_score
from nltk.translate.ribes_score import corpus_ribes

from clirbench.errors import InputError, ResourceError
from clirbench.labs.papers.word_metrics import METEOR, RIBES, read_wordnet
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score, lines


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WordNet of one synset, {car, auto}, in the database's own file format."""
    folder = tmp_path_factory.mktemp("wordnet")
    (folder / "lexnames").write_text("".join(f"{n:02d}\tname.{n}\t1\n" for n in range(45)))
    header = "  1 WordNet 3.0 Copyright of nobody: one synset for a test  \n"
    for part in ("adj", "adv", "noun", "verb"):
        (folder / f"index.{part}").write_text("")
        (folder / f"data.{part}").write_text(header)
        (folder / f"{part}.exc").write_text("")
    offset = len(header)
    synset = f"{offset:08d} 06 n 02 car 0 auto 0 000 | a motor vehicle  \n"
    (folder / "data.noun").write_text(header + synset)
    index = "".join(f"{word} n 1 0 1 0 {offset:08d}  \n" for word in ("auto", "car"))
    (folder / "index.noun").write_text(index)
    return folder


def real(shared_data: Path) -> tuple[tuple[str, ...], TestSet]:
    folder = shared_data / "wmt21" / "de-en"
    references = tuple(lines(folder / f"reference-{which}.txt")[:60] for which in "AB")
    return lines(sorted((folder / "systems").glob("*.txt"))[0])[:60], TestSet(references)


def test_ribes_equals_nltk(shared_data: Path) -> None:
    hypotheses, test = real(shared_data)
    grouped = [[r.split() for r in group] for group in zip(*test.references, strict=True)]
    expected = 100 * corpus_ribes(grouped, [h.split() for h in hypotheses])
    assert corpus_score(RIBES(tokenize="none"), hypotheses, test) == pytest.approx(expected, abs=1e-9)


def test_ribes_of_awkward_text_is_defined() -> None:
    rows = RIBES().statistics(AWKWARD, TestSet((AWKWARD[::-1],)))
    assert ((rows[:, 0] >= 0) & (rows[:, 0] <= 100)).all()
    assert corpus_score(RIBES(), [""], TestSet((("a b",),))) == 0
    assert corpus_score(RIBES(), ["a b"], TestSet((("",),))) == 0


def test_ribes_says_where_a_segment_is_too_long() -> None:
    test = TestSet((("a", "a b " * 1001),))
    with pytest.raises(InputError, match="line 2 has 2002 words, nltk aligns at most 2000"):
        RIBES().statistics(["a", "b"], test)


def test_meteor_equals_nltk(shared_data: Path, wordnet: Path) -> None:
    hypotheses, test = real(shared_data)
    reader = read_wordnet(str(wordnet))
    grouped = zip(hypotheses, *test.references, strict=True)
    scores = [meteor_score([r.split() for r in rs], h.split(), wordnet=reader) for h, *rs in grouped]
    metric = METEOR(tokenize="none", wordnet=str(wordnet))
    assert corpus_score(metric, hypotheses, test) == pytest.approx(100 * sum(scores) / len(scores), abs=1e-9)
    assert "wordnet:3.0" in metric.signature


def test_meteor_matches_synonyms_only_with_wordnet(wordnet: Path) -> None:
    test = TestSet((("the auto",),))
    # nltk looks up synonyms of stems: car and auto are their own.
    # All of 2 words match in one chunk: penalty 0.5 * (1/2)^3 = 1/16.
    assert corpus_score(METEOR(wordnet=str(wordnet)), ["the car"], test) == pytest.approx(100 * 15 / 16)
    # Without synonyms one of two words matches, P = R = 1/2, one chunk of one match: penalty 1/2.
    assert corpus_score(METEOR(synonyms=False), ["the car"], test) == pytest.approx(100 * 0.5 * 0.5)
    assert corpus_score(METEOR(synonyms=False), ["", "a"], TestSet((("a", ""),))) == 0


def test_missing_wordnet_is_said_at_once(tmp_path: Path) -> None:
    assert "|synonyms:no|" in METEOR().signature
    assert METEOR().signature == METEOR(synonyms=False).signature
    with pytest.raises(ResourceError, match=r"no index.noun.*synonyms=false"):
        METEOR(wordnet=str(tmp_path))
