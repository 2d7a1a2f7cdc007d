"""Patterns of paths: what placeholders and stars stand for, what is refused, and how values are ordered."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.systems.metadata import PathPattern, canonical, natural_key


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n", encoding="utf-8")


def values(pattern: str) -> list[dict[str, str]]:
    return [dict(match.values) for match in PathPattern(pattern).matches()]


def test_placeholders_and_stars(tmp_path: Path) -> None:
    touch(tmp_path, "run1/ckpt_100.txt", "run1/ckpt_200.txt", "run2/ckpt_100.txt", "other/ckpt_100.txt", "run1/log.txt")
    found = PathPattern(f"{tmp_path}/run*/ckpt_%step%.txt").matches()
    assert {(m.values["step"], m.stars, m.path.parent.name) for m in found} == {
        ("100", ("1",), "run1"),
        ("200", ("1",), "run1"),
        ("100", ("2",), "run2"),
    }
    assert list(found[0].labels.values()) == ["run1", "step100"]


def test_a_star_or_placeholder_does_not_cross_a_folder(tmp_path: Path) -> None:
    touch(tmp_path, "a/b/ckpt_1.txt", "a/ckpt_2.txt")
    assert values(f"{tmp_path}/*/ckpt_%step%.txt") == [{"step": "2"}]


def test_step_is_a_number_and_other_names_are_text(tmp_path: Path) -> None:
    touch(tmp_path, "base_v2_100.txt", "base_v2_best.txt", "big_7.5.txt", "big_0020.txt")
    assert values(f"{tmp_path}/%run%_%step%.txt") == [
        {"run": "base_v2", "step": "100"},
        {"run": "big", "step": "20"},
        {"run": "big", "step": "7.5"},
    ]


def test_braces_are_placeholders_too(tmp_path: Path) -> None:
    touch(tmp_path, "Online-A/out.en", "Online-B/out.en")
    assert values(f"{tmp_path}/{{system}}/out.en") == [{"system": "Online-A"}, {"system": "Online-B"}]


def test_everything_else_stands_for_itself(tmp_path: Path) -> None:
    touch(tmp_path, "a[1].5%+x.txt", "a1.5%+x.txt", "a[1]x5%+x.txt")
    assert values(f"{tmp_path}/a[1].%step%%+x.txt") == [{"step": "5"}]


def test_hidden_files_and_folders_are_passed_over(tmp_path: Path) -> None:
    touch(tmp_path, "x.txt", ".y.txt")
    (tmp_path / "folder.txt").mkdir()
    assert values(f"{tmp_path}/%name%.txt") == [{"name": "x"}]
    folders = PathPattern(f"{tmp_path}/%name%.txt").matches(folders=True)
    assert [match.values["name"] for match in folders] == ["folder", "x"]


def test_nothing_matches_says_where_it_stopped_and_what_lies_there(tmp_path: Path) -> None:
    touch(tmp_path, "exp/model_1.txt", "exp/model_2.txt")
    with pytest.raises(InputError, match=r"nothing matches; no ckpt_%step%.txt in .*exp, which holds model_1.txt, mod"):
        PathPattern(f"{tmp_path}/exp/ckpt_%step%.txt").matches()
    with pytest.raises(InputError, match=r"no nowhere in .*, which holds exp"):
        PathPattern(f"{tmp_path}/nowhere/ckpt_%step%.txt").matches()


def test_a_placeholder_twice_and_a_pattern_without_one_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"%step% stands twice"):
        PathPattern("/exp/%step%/ckpt_{step}.txt")
    with pytest.raises(ConfigError, match="has no placeholder"):
        PathPattern("/exp/ckpt.txt")


def test_a_control_character_in_a_name_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, "a\tb.txt")
    with pytest.raises(InputError, match="holds a control character"):
        PathPattern(f"{tmp_path}/%run%.txt").matches()


def test_a_packed_file_has_the_identity_of_its_plain_twin(tmp_path: Path) -> None:
    touch(tmp_path, "ckpt_1.txt", "ckpt_1.txt.gz")
    first, second = PathPattern(f"{tmp_path}/ckpt_%step%.txt*").matches()
    assert first.identity == second.identity
    assert first.labels == second.labels


def test_natural_order() -> None:
    assert sorted(["ckpt_10", "ckpt_9", "best", "ckpt_9b"], key=lambda v: natural_key("*", v)) == [
        "best", "ckpt_9", "ckpt_9b", "ckpt_10",
    ]  # fmt: skip
    assert sorted(["10", "9", "1.5", "1.25"], key=lambda v: natural_key("step", v)) == ["1.25", "1.5", "9", "10"]


@given(st.integers(0, 10**12), st.integers(0, 5))
def test_padding_does_not_make_another_step(step: int, zeros: int) -> None:
    assert canonical("step", "0" * zeros + str(step)) == str(step)
    assert canonical("run", "0" * zeros + str(step)) == "0" * zeros + str(step)


@given(st.lists(st.text(alphabet="ab019._-", max_size=8), max_size=6))
def test_any_texts_can_be_ordered(texts: list[str]) -> None:
    """Keys of numbers and of text compare with each other, and the order is the same whatever it was before."""
    for name in ("step", "run"):
        forwards = sorted(natural_key(name, text) for text in texts)
        assert forwards == sorted(natural_key(name, text) for text in reversed(texts))
