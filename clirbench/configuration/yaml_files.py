"""YAML files of configurations: what OmegaConf reads, by libyaml; an error names the file and the line."""

from functools import cache
from pathlib import Path
from typing import Any

import omegaconf._utils
import yaml
from hydra._internal.config_repository import ConfigRepository
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult, ConfigSource
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from clirbench.errors import ConfigError

_own_loader = omegaconf._utils.get_yaml_loader

MOST_MARKS = 2_000
"""Openings of lists and mappings up to which libyaml's parser reads a text: its composer calls itself in C, and would
end the process 3,000 deep on a stack of 1 MB. OmegaConf's own is in Python, which refuses depth by itself."""


@cache
def yaml_loader() -> Any:
    """OmegaConf's class of loaders, with libyaml's parser where PyYAML has it: the same values in a third of the time.

    What libyaml refuses (`{a:}`) is read by OmegaConf's own; a tab between words is refused by that one alone.
    """
    own = _own_loader()
    if not yaml.__with_libyaml__:
        return own

    class Loader(yaml.CSafeLoader, own):  # type: ignore[misc, valid-type]
        def __init__(self, stream: Any) -> None:
            text = stream if isinstance(stream, str | bytes) else stream.read()
            self.text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
            super().__init__(text)

        def get_single_data(self) -> Any:
            if sum(map(self.text.count, "[{-?:")) > MOST_MARKS:
                return own(self.text).get_single_data()
            try:
                return super().get_single_data()
            except yaml.YAMLError:
                return own(self.text).get_single_data()

        def dispose(self) -> None:
            """Nothing: the pure parser's would look for what this one does not have."""

    return Loader


omegaconf._utils.get_yaml_loader = yaml_loader


def read_yaml(path: Path) -> Any:
    """The plain values of a YAML file; raises `ConfigError` with the line where it is not one."""
    content = path.read_bytes()
    text = content.decode("utf-8", "replace")
    try:
        content.decode("utf-8")
        return yaml.load(text, Loader=yaml_loader())
    except UnicodeDecodeError as error:
        line, reason = content.count(b"\n", 0, error.start), "a byte is not UTF-8"
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, reason = mark.line if mark else 0, error.problem or error.context or "it cannot be read"
    except yaml.reader.ReaderError as error:
        line, reason = text.count("\n", 0, error.position), error.reason
    except RecursionError:
        raise ConfigError(f"{path}: is no configuration: it is nested too deep") from None
    raise ConfigError(f"{path}, line {line + 1}: is not YAML: {reason}")


def _load_config(self: ConfigRepository, config_path: str) -> ConfigResult | None:
    """`ConfigRepository.load_config` of Hydra; a file that it cannot read is named."""
    try:
        result = _loaded(self, config_path)
    except (yaml.YAMLError, OmegaConfBaseException, ValueError, RecursionError, OSError) as error:
        path = _path(self, config_path)
        if path.is_file():
            read_yaml(path)
        raise ConfigError(f"{path}: is no configuration: {str(error).partition(chr(10))[0]}") from None
    if result is not None and not isinstance(result.config, DictConfig):
        raise ConfigError(f"{_path(self, config_path)}: is no configuration: it has a list where keys are expected")
    return result


def _path(repository: ConfigRepository, name: str) -> Path:
    """The file of a configuration."""
    source = repository._find_object_source(name, ObjectType.CONFIG)
    return Path(source.path if source else "") / ConfigSource._normalize_file_name(name)


_loaded = ConfigRepository.load_config
ConfigRepository.load_config = _load_config  # type: ignore[method-assign]
