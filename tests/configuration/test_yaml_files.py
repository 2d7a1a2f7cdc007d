"""A YAML file that is no configuration is named, with the line."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from clirbench.errors import ConfigError
from tests.conftest import Cli

DEEP = ((b"[", 1_000_000), (b"{a: ", 100_000), (b"- ", 100_000), (b"? ", 100_000))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name: x\nfolder: [a\n", "mine.yaml, line 3: is no configuration: "),
        (b"name: x\n  folder: a\n", "mine.yaml, line 2: is no configuration: mapping values are not allowed"),
        (b"name: x\nfolder: *a\n", "mine.yaml, line 2: is no configuration: found undefined alias"),
        (b"name: x\nname: y\n", "mine.yaml, line 2: is no configuration: found duplicate key name"),
        (b"name: x\nfolder: !mine a\n", "mine.yaml, line 2: is no configuration: could not determine a constructor"),
        (b"name: x\nfolder: \xff\n", "mine.yaml: is no configuration: invalid start byte"),
        (b"name: x\nfolder: \x07\n", "mine.yaml: is no configuration: special characters are not allowed"),
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
    assert "own/experiment/mine.yaml, line 2: is no configuration: mapping values are not allowed here" in done.stderr
    assert len(done.stderr.splitlines()) == 1
