import pytest

from clirbench.errors import (
    UNSEEN,
    ClirbenchError,
    ConfigError,
    InputError,
    Problems,
    UnknownName,
    escape_unseen,
    gathered,
    raise_all,
)


def test_an_unknown_name_lists_the_choices_and_the_closest() -> None:
    error = UnknownName("metric", "BLUE", ["BLEU", "chrF2", "TER"])
    assert str(error) == "unknown metric 'BLUE'. Did you mean 'BLEU'? Choices: BLEU, TER, chrF2"
    assert "Did you mean 'chrF2'?" in str(UnknownName("metric", "CHRF2", ["BLEU", "chrF2"]))
    assert "Did you mean 'RBO'?" in str(UnknownName("measure", "RBO@10", ["R@10", "RBO"]))  # difflib: R@10
    assert "Did you mean" not in str(UnknownName("metric", "zzz", ["BLEU"]))


def test_all_errors_are_shown_at_once() -> None:
    errors: list[ClirbenchError] = []
    for message in ("first", "second"):
        with gathered(errors):
            raise InputError(message)
    with pytest.raises(Problems, match="- first\n- second") as raised:
        raise_all(errors)
    assert [str(error) for error in raised.value.errors] == ["first", "second"]


def test_a_single_error_is_raised_as_itself_and_none_as_nothing() -> None:
    raise_all([])
    with pytest.raises(ConfigError, match="^alone$"):
        raise_all([ConfigError("alone")])


@pytest.mark.parametrize("hostile", ["\x1b]0;x\x07", "\x9b31m", "\u202e", "\ud800", "\r", "\x00"])
def test_messages_pass_the_gate(hostile: str) -> None:
    error = InputError(f"a{hostile}b\tc\nd")
    assert str(error) == escape_unseen(f"a{hostile}b\tc\nd")
    assert not UNSEEN.search(str(error))
    assert f"\\u{ord(hostile[0]):04x}" in str(error)
    str(error).encode("utf-8")


def test_long_messages_lose_their_middle() -> None:
    text = str(InputError("the beginning " + "\x1b" * 5_000_000 + " the cure"))
    assert len(text) <= 600
    assert text.startswith("the beginning")
    assert text.endswith("the cure")


def test_many_errors_are_counted() -> None:
    with pytest.raises(Problems, match="- 19\n- and 80 more$"):
        raise_all([InputError(str(i)) for i in range(100)])
