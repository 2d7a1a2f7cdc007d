"""What the memory answers, and where it says that it cannot."""

from dataclasses import replace

import pytest

from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.collections.memory import (
    BANDS,
    CHARACTERS,
    ENGLISH,
    OTHERS,
    Expectation,
    Memory,
    Question,
    ask,
    group_of,
    memory,
    outlook,
    question_of,
)
from tests.conftest import Cli, write_lines


@pytest.fixture
def kept() -> Memory:
    return memory()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chrF2 54.1 -> 55.3", Question("chrF2", pytest.approx(1.2), 54.1, 55.3)),
        ("BLEU 30->29.5", Question("BLEU", pytest.approx(-0.5), 30.0, 29.5)),
        ("chrF2 +1.2", Question("chrF2", 1.2)),
        ("chrF +1.2", Question("chrF2", 1.2)),  # sacreBLEU's name
        ("chrF2 -1.2", Question("chrF2", -1.2)),
    ],
)
def test_questions(text: str, expected: Question) -> None:
    assert question_of(text) == expected


@pytest.mark.parametrize("text", ["", "chrF2", "chrF2 54.1", "chrF2 54,1 -> 55,3", "chrF2 a -> b", "chrF2 1.2"])
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"such as 'chrF2 54.1 -> 55.3' or 'chrF2 \+1.2'"):
        ask(text, pair="de-en")


def expected(question: str, pair: str) -> Expectation:
    found = ask(question, pair=pair)
    assert isinstance(found, Expectation)
    return found


def test_more_points_are_more_certain_and_the_other_way_round_is_the_rest() -> None:
    one, two, back = (expected(f"chrF2 {a} -> {b}", "de-en") for a, b in ((54, 55), (54, 56), (56, 54)))
    values = [one.low, one.probability, one.high, two.probability, back.probability]
    low, middle, high, wider, turned = (float(value or "nan") for value in values)
    assert 0.5 < low < middle < high <= 1
    assert wider > middle
    assert turned == pytest.approx(1 - wider)
    few = ask("chrF2 54 -> 55", pair="deu-eng", topics=50)  # noise takes from what is seen
    assert 0.5 < float(few.probability or "nan") < middle
    assert str(one).startswith("chrF2 54.00 -> 55.00: better retrieval: ")
    assert "comparable collections, BM25, 500 topics). To settle it: search with both systems; about " in str(one)


@pytest.mark.parametrize(
    ("question", "pair", "why"),
    [
        ("TER 50 -> 49", "de-en", "the memory has BLEU, chrF1, chrF2, MacroF1."),
        ("chrF2 12 -> 13", "de-en", "systems into English have chrF2 from "),
        ("chrF2 45 -> 62", "de-en", "the memory's differences of chrF2 into English go up to "),
    ],
)
def test_what_is_not_comparable_says_why(question: str, pair: str, why: str) -> None:
    assert f"{question.split()[0]} " in str(found := ask(question, pair=pair))
    assert f"no comparable collections: {why}" in str(found)


@pytest.mark.parametrize(
    ("question", "people"),
    [("BLEU +1", "64 %"), ("chrF2 +1", "70 %"), ("bleu 30 -> 29", "64 %"), ("BLEU 1 -> 11", "88 %"), ("chrF2 +.1", "")],
)
def test_what_a_difference_is_worth_to_people(question: str, people: str) -> None:
    """MT-Thresholds shows 64 and 70 % for a point; for differences that it puts below half it has no figure."""
    said = str(ask(question, pair="de-en"))
    assert said.endswith(f" in {people} of such pairs (MT-Thresholds).") if people else "MT-Thresholds" not in said


def test_a_stratum_that_foretells_badly_is_refused(kept: Memory) -> None:
    bad = {key: replace(place, predicted=place.seen + 0.051) for key, place in kept.places.items()}
    said = str(outlook(replace(kept, places=bad), question_of("chrF2 54 -> 55"), "de-en"))
    assert "no comparable collections: there the memory predicts" in said
    few = {key: dict(list(value.items())[:4]) for key, value in kept.told.items()}
    said = str(outlook(replace(kept, told=few), question_of("chrF2 54 -> 55"), "de-en"))
    assert "fewer than 5 language pairs into English are left" in said


def test_what_was_measured_otherwise_is_refused(kept: Memory) -> None:
    other = replace(question_of("BLEU 30 -> 31"), signature="nrefs:1|BLEU|case:lc|tok:none")
    assert "yours nrefs:1|BLEU|case:lc|tok:none" in str(outlook(kept, other, "de-en"))
    assert "test sets have" in str(outlook(kept, question_of("BLEU 30 -> 31"), "de-en", lines=20))


def test_collections_of_the_same_reference_are_left_out(kept: Memory) -> None:
    name = next(name for name, one in kept.collections.items() if group_of(one.pair) == ENGLISH)
    asked = question_of("chrF2 54 -> 55")
    whole, less = outlook(kept, asked, "de-en"), outlook(kept, asked, "de-en", frozenset([name]))
    assert less.left_out == 1
    assert "; 1 with this reference left out" in str(less)
    assert whole.collections - less.collections in (0, 1)
    assert whole.probability != less.probability


def test_two_files(cli: Cli) -> None:
    lines = [f"the {word} house number {n} stands near the old river" for n in range(300) for word in ("red", "blue")]
    write_lines(cli.cwd / "r.txt", lines)
    for name, every in (("a", 2), ("b", 3)):
        write_lines(
            cli.cwd / f"{name}.txt", [line.replace("old", "new", i % every == 0) for i, line in enumerate(lines)]
        )
    done = cli.succeed("ask", "a.txt", "b.txt", "--reference", "r.txt", "--pair", "de-en")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["BLEU", "chrF1", "chrF2", "MacroF1"]
    done = cli("ask", "a.txt", "--reference", "r.txt", "--pair", "de-en")
    assert done.returncode == 1
    assert "two files of lines are expected" in done.stderr


def test_python_takes_lines() -> None:
    with pytest.raises(AlignmentError, match="1, 2 and 1 lines"):
        ask(["a"], ["a", "b"], reference=["a"], pair="de-en")
    for asked in ((["a"], None), ("BLEU +1", ["b"])):
        with pytest.raises(ConfigError, match="a question alone, or two systems and their reference"):
            ask(*asked, pair="de-en")
    for pair, why in (
        ("German", "a pair SOURCE-TARGET in ISO 639 codes was expected"),
        ("de-qq", "'qq' is no language"),
    ):
        with pytest.raises(ConfigError, match=f"pair={pair}: {why}"):
            ask("BLEU +1", pair=pair)
    with pytest.raises(ConfigError, match="topics=0 must be a number of at least 1"):
        ask("BLEU +1", pair="de-en", topics=0)


def test_groups() -> None:
    assert list(map(group_of, ("de-en", "en-zh", "en-ja", "cs-uk"))) == [ENGLISH, CHARACTERS, CHARACTERS, OTHERS]


def test_the_memory_that_ships_is_whole(kept: Memory) -> None:
    assert len(kept.collections) >= 45
    assert sum(one.systems for one in kept.collections.values()) >= 450
    for (metric, group, band), place in kept.places.items():
        assert band in BANDS
        assert len(kept.of_group(kept.told[metric, band], group)) >= 5
        assert place.lowest < place.highest
    calibrated = [place for place in kept.places.values() if place.group != CHARACTERS and place.calibrated]
    assert len(calibrated) >= 12, "of 16 strata into English and into other languages"
