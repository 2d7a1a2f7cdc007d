"""`systems=checkpoints`: a sweep found by a pattern of paths, of translations or of models that translate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import text_at
from clirbench.corpora.sides import first_ten
from clirbench.errors import ClirbenchError, ConfigError, InputError, raise_all
from clirbench.systems.base import OfModels
from clirbench.systems.files import aligned, as_pending, check_settings, included, recent_change_note
from clirbench.systems.metadata import Match, PathPattern, Toolkit, joined_metadata, natural_key
from clirbench.text import Text
from clirbench.types import Translation

REPLICATES = ("seed", "run", "replicate")


@dataclass(frozen=True)
class CheckpointSystems:
    """Systems found by a pattern; the values of its placeholders in each path become metadata and make the names.

    Either `pattern` matches translations of the collection (`/exp/run*/ckpt_%step%.txt`) and `test_pattern`, with the
    same placeholders, those of a test set that is another text; or `model` matches models, which `translator` (None:
    chosen by the files in the model's folder) lets translate both, in shards of about `shard_lines` lines kept under
    `cache`. A name is made of the values in the order of the path, `run1-step100`; the systems are ordered by step,
    then by the other values, numbers as numbers. Checkpoints that differ in `replicates` (and `*`) alone have the
    same `group` in their metadata. `metadata` is a table with further columns, by `system` or by the values.
    `toolkit` says what stands for `%checkpoint%` in the patterns. `include` and `exclude` are glob patterns of names.
    `unfinished="skip"`: a checkpoint whose file is short or missing, or that was touched within `quiet` seconds, is
    pending.

    **Raises** `ConfigError` for settings that contradict each other; `translations`: `InputError` for a pattern that
    matches nothing, two files for one system, a system missing on one side; `AlignmentError` for line counts; what a
    translator misses; all at once as `Problems`.
    """

    pattern: str | None = None
    test_pattern: str | None = None
    model: str | None = None
    translator: OfModels | None = None
    include: Sequence[str] = ("*",)
    exclude: Sequence[str] = ()
    metadata: str | None = None
    replicates: Sequence[str] = REPLICATES
    toolkit: Toolkit | None = None
    unfinished: str = "error"
    quiet: int = 5
    shard_lines: int = 1000
    cache: str = field(default="runs/.cache")

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.model):
            raise ConfigError(
                "systems=checkpoints: name either translations that exist, "
                "systems.pattern='/exp/run*/ckpt_%step%.txt', or models that translate, "
                "systems.model='/exp/ckpt_%step%'" + (", not both" if self.model else "")
            )
        if self.test_pattern and self.model:
            raise ConfigError("systems.test_pattern: models translate the test set themselves; leave it out")
        whole_number("systems.shard_lines", self.shard_lines)
        check_settings(self.unfinished, self.quiet)
        if self.translator is not None and not isinstance(self.translator, OfModels):
            raise ConfigError(f"systems.translator: {type(self.translator).__name__} is not a Translator")
        main = self.patterns("pattern" if self.pattern else "model")
        if self.test_pattern:
            for other, one in zip(self.patterns("test_pattern"), main, strict=True):
                if sorted(other.names) != sorted(one.names):
                    raise ConfigError(
                        f"systems.test_pattern has the placeholders {first_ten(other.names) or 'none'}, "
                        f"systems.pattern {first_ten(one.names) or 'none'}; both must have the same"
                    )

    @property
    def translates(self) -> bool:
        """Whether models make the texts."""
        return bool(self.model)

    def patterns(self, field: str) -> tuple[PathPattern, ...]:
        """`pattern`, `test_pattern` or `model`: one pattern, or one for each name that the toolkit uses."""
        text = str(getattr(self, field))
        texts = self.toolkit.patterns(text) if self.toolkit else (text,)
        return tuple(PathPattern(text, f"systems.{field}") for text in texts)

    def matches(self, field: str) -> list[Match]:
        """What the patterns of a field match; raises `InputError` where that is nothing."""
        patterns, folders = self.patterns(field), field == "model"
        found = [match for pattern in patterns for match in pattern.matches(folders=folders, none=True)]
        return found or list(patterns[0].matches(folders=folders))

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        field = "pattern" if self.pattern else "model"
        found = by_name(self.matches(field), f"systems.{field}")
        named = {name: found[name] for name in included(list(found), self.include, self.exclude)}
        if not any("step" in match.values for match in named.values()):
            named = {name: replace(match, values=_with_step(match.values)) for name, match in named.items()}
        described = joined_metadata(self.metadata, {name: self.described(match) for name, match in named.items()})
        if self.model:
            return self._translated(corpus, named, described)
        return self._existing(corpus, named, described)

    def described(self, match: Match) -> dict[str, str]:
        """The values of a match; the stars as `replicate`; `group` where checkpoints can be replicates of another."""
        columns = {name: value for name, value in match.values.items() if name != "system"}
        stars = [label for name, label in match.labels.items() if name.startswith("*") and label]
        if columns and stars:
            columns.setdefault("replicate", "-".join(stars))
        passed = {*self.replicates, "system"}
        kept = [match.labels[name] for name in match.values if name in match.labels and name not in passed]
        if kept and any(name in self.replicates for name in columns):
            columns.setdefault("group", "-".join(kept))
        return columns

    def _existing(
        self, corpus: Corpus, named: Mapping[str, Match], described: Mapping[str, Mapping[str, str]]
    ) -> tuple[Translation, ...]:
        searched = {name: text_at(match.path) for name, match in named.items()}
        test: Mapping[str, Text] = searched if corpus.test else {}
        if self.test_pattern:
            test = {name: text_at(path) for name, path in self._test_files(named).items()}
        elif corpus.test and corpus.english.map.n_lines != len(corpus.test):
            raise InputError(
                f"the collection has {corpus.english.map.n_lines} lines and the test set {len(corpus.test)}: name the "
                "systems' files for the test set too, systems.test_pattern=..."
            )
        found = [Translation(name, test.get(name), searched[name], described[name]) for name in named]
        if corpus.test:
            found = [t if t.test else as_pending(t, "its file for the test set is not there yet") for t in found]
        return aligned(corpus, found, self.unfinished, self.quiet)

    def _test_files(self, named: Mapping[str, Match]) -> dict[str, Path]:
        """The file of each system for the test set: the one whose placeholders and stars have the same values."""
        pattern = self.patterns("test_pattern")[0]
        found: dict[Any, list[Path]] = {}
        for match in self.matches("test_pattern"):
            found.setdefault(match.identity, []).append(match.path)
        errors: list[ClirbenchError] = []
        files: dict[str, Path] = {}
        lacking = []
        for name, match in named.items():
            paths = found.get(match.identity, [])
            if len(paths) > 1:
                errors.append(_same_system(pattern.key, name, paths))
            elif paths:
                files[name] = paths[0]
            else:
                lacking.append(f"{name} ({match.path})")
        if lacking and self.unfinished == "error":
            errors.append(InputError(f"{pattern.key}={pattern.text}: has no file for {first_ten(lacking)}"))
        raise_all(errors)
        return files

    def _translated(
        self, corpus: Corpus, named: Mapping[str, Match], described: Mapping[str, Mapping[str, str]]
    ) -> tuple[Translation, ...]:
        if self.translator is None:
            raise ConfigError("systems.model: name what translates, systems/translator=command")
        models: list[tuple[str, Path, Mapping[str, str]]] = []
        waiting: dict[str, Translation] = {}
        for name, match in named.items():
            if self.unfinished == "skip" and (why := recent_change_note([match.path], self.quiet)):
                waiting[name] = Translation(name, None, None, described[name], f"{match.path}: {why}")
            else:
                models.append((name, match.path, described[name]))
        translations = self.translator.translations(corpus, models, self.cache, self.shard_lines)
        made = {**waiting, **{translation.system: translation for translation in translations}}
        return tuple(made[name] for name in named)


def by_name(matches: Sequence[Match], key: str) -> dict[str, Match]:
    """Matches by the name of their system, in natural order by step; raises `InputError` where two have one name."""
    files: dict[str, list[Match]] = {}
    for match in sorted(matches, key=_order):
        files.setdefault("-".join(label for label in match.labels.values() if label), []).append(match)
    raise_all(
        [_same_system(key, name, [match.path for match in same]) for name, same in files.items() if len(same) > 1]
    )
    return {name: same[0] for name, same in files.items()}


def _order(match: Match) -> tuple[object, ...]:
    """By epoch, then step (the end of an epoch has none), then the rest."""
    epoch, step = (natural_key(name, match.values.get(name, "")) for name in ("epoch", "step"))
    others = [natural_key(name, value) for name, value in match.values.items() if name not in ("epoch", "step")]
    return epoch, bool(epoch) and not step, step, *others, *(natural_key("*", star) for star in match.stars)


def _with_step(values: Mapping[str, str]) -> Mapping[str, str]:
    """Where nothing has a step, the epoch is one."""
    return {**values, "step": values["epoch"]} if "epoch" in values else values


def _same_system(key: str, name: str, paths: Sequence[Path]) -> InputError:
    return InputError(
        f"{key}: {len(paths)} files give the same system {name!r}: {first_ten(paths)}; keep one, or add a placeholder "
        "that differs between them"
    )
