"""`systems=checkpoints`: a sweep found by a pattern of paths, of translations or of models that translate."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.checks import checked, whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import text_at
from clirbench.corpora.sides import first_ten
from clirbench.errors import ConfigError, InputError, raise_all
from clirbench.systems.base import OfModels
from clirbench.systems.files import FileSystems
from clirbench.systems.metadata import Match, joined_metadata, natural_key, path_matches, placeholders
from clirbench.text import Text
from clirbench.types import Translation

REPLICATES = ("seed", "run", "replicate")


@dataclass(frozen=True)
class CheckpointSystems(FileSystems):
    """Systems found by a pattern; the values of its placeholders in each path become metadata and make the names.

    Either `pattern` matches translations of the collection (`/exp/run*/ckpt_%step%.txt`) and `test_pattern`, with the
    same placeholders, those of a test set that is another text; or `model` matches models, which `translator` (None:
    chosen by the files in the model's folder) lets translate both, in shards of about `shard_lines` lines kept under
    `cache`. A name is made of the values in the order of the path, `run1-step100`; the systems are ordered by step,
    then by the other values, numbers as numbers. Checkpoints that differ in `replicates` (and `*`) alone have the
    same `group` in their metadata. `metadata` is a table with further columns, by `system` or by the values.

    **Raises** also `ConfigError` for settings that contradict each other; `translations`: `InputError` for a pattern
    that matches nothing and two files for one system, and what a translator misses.
    """

    pattern: str | None = None
    test_pattern: str | None = None
    model: str | None = None
    translator: OfModels | None = None
    replicates: Sequence[str] = REPLICATES
    shard_lines: int = 1000
    cache: str = "runs/.cache"

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.pattern) == bool(self.model):
            said = "name either translations that exist, systems.pattern='/exp/run*/ckpt_%step%.txt', or models that"
            both = ", not both" if self.model else ""
            raise ConfigError(f"systems=checkpoints: {said} translate, systems.model='/exp/ckpt_%step%'{both}")
        if self.test_pattern and self.model:
            raise ConfigError("systems.test_pattern: models translate the test set themselves; leave it out")
        whole_number("systems.shard_lines", self.shard_lines)
        if self.translator is not None:
            checked("systems.translator", self.translator, OfModels)
        main = placeholders(f"systems.{'pattern' if self.pattern else 'model'}", str(self.pattern or self.model))
        other = placeholders("systems.test_pattern", self.test_pattern) if self.test_pattern else main
        if sorted(main) != sorted(other):
            said = f"systems.test_pattern has the placeholders {first_ten(other) or 'none'},"
            raise ConfigError(f"{said} systems.pattern {first_ten(main) or 'none'}; both must have the same")

    @property
    def translates(self) -> bool:
        """Whether models make the texts."""
        return bool(self.model)

    def matches(self, field: str, names: Mapping[Any, str] | None = None) -> dict[str, Match]:
        """What `pattern`, `test_pattern` or `model` matches, ordered, by the name of the system, or by that of
        `names` for the same values.

        Raises `InputError` where two files have one name.
        """
        found: dict[str, list[Match]] = {}
        for match in sorted(path_matches(f"systems.{field}", getattr(self, field), field == "model"), key=_order):
            name = "-".join(filter(None, match.labels.values())) if names is None else names.get(match.identity, "")
            found.setdefault(name, []).append(match)
        if names is not None:
            found.pop("", None)
        doubled = {name: [match.path for match in same] for name, same in found.items() if len(same) > 1}
        said = {name: f"{len(of)} files give the same system {name!r}: {first_ten(of)}" for name, of in doubled.items()}
        cure = "keep one, or add a placeholder that differs between them"
        raise_all([InputError(f"systems.{field}: {one}; {cure}") for one in said.values()])
        return {name: same[0] for name, same in found.items()}

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        found = self.matches("pattern" if self.pattern else "model")
        named = {name: found[name] for name in self.included(list(found))}
        described = joined_metadata(self.metadata, {name: self.described(match) for name, match in named.items()})
        if self.model:
            return self._translated(corpus, named, described)
        texts: Mapping[str, Text] = {name: text_at(match.path) for name, match in named.items()}
        sides = [(f"systems.pattern={self.pattern}", texts)]
        if self.test_pattern:
            tested = self.matches("test_pattern", {match.identity: name for name, match in named.items()})
            texts = {name: text_at(match.path) for name, match in tested.items()}
            sides.append((f"systems.test_pattern={self.test_pattern}", texts))
        elif corpus.test and corpus.english.map.n_lines != len(corpus.test):
            said = f"the collection has {corpus.english.map.n_lines} lines and the test set {len(corpus.test)}:"
            raise InputError(f"{said} name the systems' files for the test set too, systems.test_pattern=...")
        return self.sided(corpus, list(named), sides, described)

    def described(self, match: Match) -> dict[str, str]:
        """The values of a match; the stars as `replicate`; `group` where checkpoints can be replicates of another."""
        columns = {name: value for name, value in match.values.items() if name != "system"}
        stars = [label for name, label in match.labels.items() if name.startswith("*") and label]
        if columns and stars:
            columns.setdefault("replicate", "-".join(stars))
        kept = [match.labels[name] for name in match.values if name not in (*self.replicates, "system")]
        if kept and any(name in self.replicates for name in columns):
            columns.setdefault("group", "-".join(kept))
        return columns

    def _translated(
        self, corpus: Corpus, named: Mapping[str, Match], described: Mapping[str, Mapping[str, str]]
    ) -> tuple[Translation, ...]:
        if self.translator is None:
            said = "systems.model: name what translates:"
            raise ConfigError(f"{said} systems/translator=ctranslate2, transformers, program")
        models: list[tuple[str, Path, Mapping[str, str]]] = []
        found: dict[str, Translation] = {}
        for name, match in named.items():
            files = [file.stat().st_mtime for file in (match.path, *match.path.rglob("*")) if file.exists()]
            if self.unfinished == "skip" and any(abs(time.time() - changed) < self.quiet for changed in files):
                found[name] = Translation(name, None, None, described[name], f"{match.path}: touched just now")
            else:
                models.append((name, match.path, described[name]))
        made = self.translator.translations(corpus, models, self.cache, self.shard_lines)
        found |= {translation.system: translation for translation in made}
        return tuple(found[name] for name in named)


def _order(match: Match) -> tuple[object, ...]:
    """By step, then the other values."""
    others = [natural_key(name, value) for name, value in match.values.items() if name != "step"]
    return natural_key("step", match.values.get("step", "")), *others, *(natural_key("*", star) for star in match.stars)
