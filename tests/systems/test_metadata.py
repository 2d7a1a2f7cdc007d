"""What paths and tables say of systems: placeholders, stars, the order of values, what is refused."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.systems.metadata import canonical, joined_metadata, natural_key, path_matches, placeholders
from tests.conftest import put


def touch(root: Path, *names: str) -> None:
    for name in names:
        put(root / name, "x\n")


@pytest.mark.parametrize(
    ("files", "pattern", "found"),
    [
        ("run1/ckpt_100.txt run1/ckpt_200.txt run2/ckpt_100.txt other/ckpt_1.txt run1/log.txt", "run*/ckpt_%step%.txt",
         ["step=100 run1 step100", "step=200 run1 step200", "step=100 run2 step100"]),
        ("a/b/ckpt_1.txt a/ckpt_2.txt", "*/ckpt_%step%.txt", ["step=2 a step2"]),
        ("base_v2_100.txt base_v2_best.txt big_7.5.txt big_0020.txt", "%run%_%step%.txt",
         ["run=base_v2 step=100 base_v2 step100", "run=big step=20 big step20", "run=big step=7.5 big step7.5"]),
        ("Online-A/out.en B/out.en", "{system}/out.en", ["system=B B", "system=Online-A Online-A"]),
        ("a[1].5%+x.txt a1.5%+x.txt a[1]x5%+x.txt", "a[1].%step%%+x.txt", ["step=5 step5"]),
        ("x.txt .y.txt folder.txt/z", "%name%.txt", ["name=x x"]),
        ("ckpt_1.txt ckpt_1.txt.gz", "ckpt_%step%.txt*", ["step=1 step1", "step=1 step1"]),
    ],
)  # fmt: skip
def test_placeholders_and_stars(tmp_path: Path, files: str, pattern: str, found: list[str]) -> None:
    touch(tmp_path, *files.split())
    matches = path_matches("systems.pattern", f"{tmp_path}/{pattern}")
    said = [[*(f"{k}={v}" for k, v in match.values.items()), *filter(None, match.labels.values())] for match in matches]
    assert [" ".join(words) for words in said] == found
    assert len({match.identity for match in matches}) == len(set(found))


def test_folders_match_where_models_are_wanted(tmp_path: Path) -> None:
    touch(tmp_path, "x.txt", "folder.txt/z", "a\tb.csv")
    folders = path_matches("systems.pattern", f"{tmp_path}/%name%.txt", folders=True)
    assert [match.values["name"] for match in folders] == ["folder", "x"]
    with pytest.raises(InputError, match="holds a control character"):
        path_matches("systems.pattern", f"{tmp_path}/%run%.csv")


def test_nothing_matches_says_where_it_stopped_and_what_lies_there(tmp_path: Path) -> None:
    touch(tmp_path, "exp/model_1.txt", "exp/model_2.txt")
    with pytest.raises(InputError, match=r"nothing matches; no ckpt_%step%.txt in .*exp, which holds model_1.txt, mod"):
        path_matches("systems.pattern", f"{tmp_path}/exp/ckpt_%step%.txt")
    with pytest.raises(InputError, match=r"no nowhere in .*, which holds exp"):
        path_matches("systems.pattern", f"{tmp_path}/nowhere/ckpt_%step%.txt")


def test_a_placeholder_twice_and_a_pattern_without_one_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"%step% stands twice"):
        placeholders("systems.pattern", "/exp/%step%/ckpt_{step}.txt")
    with pytest.raises(ConfigError, match="has no placeholder"):
        placeholders("systems.pattern", "/exp/ckpt.txt")


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


PARSED = {
    "a-step1": {"run": "a", "step": "1"},
    "a-step2": {"run": "a", "step": "2"},
    "b-step1": {"run": "b", "step": "1"},
}


def joined(tmp_path: Path, text: str, parsed: Any = None) -> dict[str, dict[str, str]]:
    path = tmp_path / "grid.tsv"
    path.write_text(text.replace(" ", "\t").replace("|", "\n") + "\n", encoding="utf-8")
    return joined_metadata(str(path), parsed or PARSED)


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [
        ("run training_pairs vocabulary|a 10000 8000", "vocabulary", ["8000", "8000", ""]),
        ("step run loss|01 a 3.5|1 b 3.25", "loss", ["3.5", "", "3.25"]),
        ("name loss|a-step2 9", "loss", ["", "9", ""]),
    ],
)
def test_rows_are_joined_by_shared_columns_or_by_system(
    tmp_path: Path, text: str, column: str, values: list[str]
) -> None:
    rows = joined(tmp_path, text)
    assert [row[column] for row in rows.values()] == values
    assert [{"run": row["run"], "step": row["step"]} for row in rows.values()] == list(PARSED.values())
    assert joined_metadata(None, PARSED) == PARSED
    assert joined(tmp_path, "system size|x 3", {"x": {}}) == {"x": {"size": "3"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b|1 2", r"none that the pattern has a placeholder for \(run, step\); columns: a, b"),
        ("run x|a 2|a 3", "line 3: a stands on an earlier line"),
        ("system step|a-step1 7", "a-step1: step is '7', its path says '1'"),
    ],
)
def test_tables_that_do_not_fit(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        joined(tmp_path, text)
