"""Configurations read by libyaml have the values that OmegaConf's own reader gives; a wrong file is named."""

from pathlib import Path

import pytest
import yaml
from hydra import compose, initialize_config_dir

from clirbench.configuration import composing as yaml_files
from clirbench.configuration.composing import CONF
from clirbench.configuration.laboratories import config_folders
from clirbench.errors import ConfigError
from tests.conftest import Cli

SHIPPED = [path for folder in (CONF, *config_folders()) for path in sorted(folder.rglob("*.yaml"))]
NUMBERS = (
    "1", "1.0", "1e3", "1e-3", ".5", ".5e-3", "1_000", "0o17", "017", "0x1f", "0b11", "1:30", "1:30.5", "+1", "-1",
    "1.", "1e+3", "+.5", "12e03", "1__0", ".inf", "-.Inf", ".nan", "2020-01-01", "2020-01-01T00:00:00Z",
)  # fmt: skip
WORDS = ("yes", "no", "on", "off", "y", "n", "true", "True", "TRUE", "~", "null", "Null", "=", "<<", "${a.b}", "???")
MARKS = (
    "a#b", "a:b", "a,b", "http://x/y", "[a,b]", "{a:1}", "{a:}", "[a:b]", "[a,]", "*a", "&a", "@a", "`a`", "%a",
    "{a,b}", "a b", "a: b", "a #b", "? a", "- ", "- a\n- b", "|\n  x\n  y\n", ">\n  x\n  y\n", "|-\n  x", "[a, [b]]",
    "{a: 1, a: 2}", "<<: {a: 1}",
)  # fmt: skip
TEXTS = (
    "",
    "é",
    "'a'",
    "'it''s'",
    '""',
    '"a\\n\\u00e9"',
    "\x07",
    "\x85",
    "a\u2028b",
    "😀",
    "\ufeffa",
    "x" * 1500 + ": y",
)
TAGS = (
    "!!str 1", "!!int '1'", "!!float 1", "!!set {a}", "!!binary aGk=", "!!timestamp 2020-01-01",
    "!!python/name:os.system ''", "!!python/object/apply:os.system [a]", "!mine a",
)  # fmt: skip


def values(text: str, loader: type) -> str:
    try:
        return repr(yaml.load(text, Loader=loader))
    except yaml.YAMLError:
        return "refused"


@pytest.mark.parametrize("text", [*NUMBERS, *WORDS, *MARKS, *TEXTS, *TAGS])
@pytest.mark.parametrize("place", ["{}", "k: {}\n", "{}: v\n", "k:\n- {}"])
def test_every_form_of_a_value_means_the_same(text: str, place: str) -> None:
    """The expected values are those of OmegaConf's own reader; what that refuses is no configuration of anybody's."""
    written = place.replace("{}", text)
    expected = values(written, yaml_files._own_loader())
    assert values(written, yaml_files.yaml_loader()) == expected


def test_every_shipped_configuration_means_the_same() -> None:
    assert len(SHIPPED) > 150
    for path in SHIPPED:
        text = path.read_text(encoding="utf-8")
        assert values(text, yaml_files.yaml_loader()) == values(text, yaml_files._own_loader()) != "refused"


# Each ended the process before it was refused: PyYAML composes in C, without a limit.
DEEP = ((b"[", 1_000_000), (b"{a: ", 100_000), (b"- ", 100_000), (b"? ", 100_000))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name: x\nfolder: [a\n", "mine.yaml, line 3: is not YAML: "),
        (b"name: x\n  folder: a\n", "mine.yaml, line 2: is not YAML: mapping values are not allowed"),
        (b"name: x\nfolder: *a\n", "mine.yaml, line 2: is not YAML: found undefined alias"),
        (b"name: x\nname: y\n", "mine.yaml, line 2: is not YAML: found duplicate key name"),
        (b"name: x\nfolder: !mine a\n", "mine.yaml, line 2: is not YAML: could not determine a constructor"),
        (b"name: x\nfolder: \xff\n", "mine.yaml, line 2: is not YAML: a byte is not UTF-8"),
        (b"name: x\nfolder: \x07\n", "mine.yaml, line 2: is not YAML: special characters are not allowed"),
        *(
            pytest.param(sign * n, "mine.yaml: is no configuration: it is nested too deep", id=f"{n} {sign!r}")
            for sign, n in DEEP
        ),
        (b"name: x\nfolder: ${a\n", "mine.yaml: is no configuration: "),
        (b"- a\n", "mine.yaml: is no configuration: it has a list"),
        (b"7\n", "mine.yaml: is no configuration: Invalid loaded object type: int"),
        (b"defaults: 7\n", "mine.yaml"),
        (b"defaults: [7]\n", "mine.yaml"),
    ],
)
def test_a_file_that_is_no_configuration_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "mine.yaml").write_bytes(content)
    with initialize_config_dir(str(tmp_path), version_base="1.3"), pytest.raises(ConfigError) as raised:
        compose("mine")
    assert f"{tmp_path}/{said}" in str(raised.value)


@pytest.mark.parametrize("way", ["--config-dir=own", "hydra.searchpath=[file://own]"])
def test_the_program_says_it_in_one_line(cli: Cli, way: str) -> None:
    path = cli.cwd / "own" / "experiment" / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("name: x\nfolder: a: b\n", encoding="utf-8")
    done = cli(way, "+experiment=mine")
    assert done.returncode == 1, done.stderr
    assert "own/experiment/mine.yaml, line 2: is not YAML: mapping values are not allowed here" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_nests_as_deep_as_allowed_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"folder: " + b"[" * 99 + b"]" * 99 + b"\n" + b"# - - -\n" * 100)
    assert str(yaml_files.read_yaml(tmp_path / "mine.yaml")["folder"]) == "[" * 99 + "]" * 99
