"""Judgments from a TREC qrels file, and who made them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import ClassVar

from clirbench.checks import one_of
from clirbench.errors import ConfigError, InputError
from clirbench.files.trec import Judgment, read_judgments
from clirbench.text import TextFile
from clirbench.types import JUDGES, Documents, Judge, Need, Qrels, Run, Topic

ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


@dataclass(frozen=True)
class QrelsFile:
    """Relevance judgments, read from the files `path`, one or several, of TREC or BEIR (see `read_judgments`).

    `judged_by`, one of `JUDGES`, must be stated: the file does not say it.
    A topic that the English side, where there is one, does not match is left out; one without a relevant document
    stays, for the measures that count false alarms. Topics of the file that are not in the run are ignored.
    `missing_topics` says what happens with a topic that the file does not judge at all, `unknown_documents` with a
    judged document that is not in the collection: `error` or `drop`. Raises `InputError` naming file and line.
    """

    kind: ClassVar[str] = "qrels"
    path: str | Path | Sequence[str] | None = None
    _: KW_ONLY
    judged_by: Judge | None = None
    missing_topics: str = "error"
    unknown_documents: str = "error"

    def __post_init__(self) -> None:
        missing = {"path": "FILE", "judged_by": f"{JUDGES[0]} (or {', '.join(JUDGES[1:])})"}
        if left := [f"relevance.{name}={one}" for name, one in missing.items() if not str(getattr(self, name) or "")]:
            said = "who made the judgments, in which file, of which topics? Not set (of relevance@also: also.KEY): type"
            raise ConfigError(f"{said} {' '.join(left)} topics=trec topics.path=FILE")
        one_of("relevance.judged_by", self.judged_by, JUDGES)
        one_of("relevance.missing_topics", self.missing_topics, ("error", "drop"))
        one_of("relevance.unknown_documents", self.unknown_documents, ("error", "drop"))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of judgments."""
        return tuple(map(Path, [self.path] if isinstance(self.path, str | Path) else self.path or ()))

    @property
    def signature(self) -> str:
        content = "+".join(TextFile(file).fingerprint[:12] for file in self.files)
        return f"{self.kind}:{content}|missing:{self.missing_topics}|unknown:{self.unknown_documents}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        found = self.check(documents, topics)
        matched = {topic_id for topic_id in found if len(ideal.values(topic_id))} if len(ideal) else found.keys()
        return Qrels({t.topic_id: found[t.topic_id] for t in topics if t.topic_id in matched})

    def check(self, documents: Documents, topics: Sequence[Topic]) -> dict[str, dict[str, int]]:
        """Read the file: the grades of every judged topic, matched by the English side or not."""
        wanted = {topic.topic_id for topic in topics}
        known = frozenset(documents.map.doc_ids)
        found: dict[str, dict[str, int]] = {}
        for file, judgment in self._judgments():
            if judgment.topic_id not in wanted:
                continue
            if judgment.doc_id in known:
                found.setdefault(judgment.topic_id, {})[judgment.doc_id] = judgment.grade
            elif self.unknown_documents == "error":
                cure = "judge documents of the collection, or set relevance.unknown_documents=drop"
                plain = ZEROS.sub("", judgment.doc_id)
                if meant := next((one for one in documents.map.doc_ids if ZEROS.sub("", one) == plain), ""):
                    cure = f"{meant!r} is: write the numbers of ids with zeros as the collection does"
                elif not any(one.doc_id in known for _, one in self._judgments()):
                    cure = "nor is any other that is judged: they are of another collection than this, which has"
                    cure += f" {_first(documents.map.doc_ids)}; name the folder of theirs"
                where = f"{file}: line {judgment.line}"
                raise InputError(f"{where}: document {judgment.doc_id!r} is not in the collection; {cure}")
            else:
                found.setdefault(judgment.topic_id, {})
        if topics and not found:
            judged = list(dict.fromkeys(judgment.topic_id for _, judgment in self._judgments()))
            raise InputError(
                f"{', '.join(map(str, self.files))}: judges none of these {len(topics)} topics "
                f"({_first([topic.topic_id for topic in topics])}), but {_first(judged)}; write the ids alike in both "
                "files, or name the topics that were judged: topics=trec topics.path=FILE (or topics=jsonl, topics=tsv)"
            )
        if topics and not any(found.values()):
            said = f"{', '.join(map(str, self.files))}: none of the judged documents is in the collection, which has"
            raise InputError(f"{said} {_first(documents.map.doc_ids)}; write the ids alike")
        self._refuse_missing([topic.topic_id for topic in topics if topic.topic_id not in found])
        return found

    def _judgments(self) -> Iterator[tuple[Path, Judgment]]:
        return ((file, judgment) for file in self.files for judgment in read_judgments(file))

    def given(self, topics: Sequence[Topic]) -> frozenset[Need]:
        """What the judgments of these topics give: grades above 1, topics without a relevant document."""
        wanted = {topic.topic_id for topic in topics}
        highest: dict[str, int] = {}
        for _, judgment in self._judgments():
            if judgment.topic_id in wanted:
                highest[judgment.topic_id] = max(judgment.grade, highest.get(judgment.topic_id, judgment.grade))
        gives: dict[Need, bool] = {
            "grades": max(highest.values(), default=0) > 1,
            "all topics": min(highest.values(), default=1) < 1,
        }
        return frozenset(need for need, there in gives.items() if there)

    def _refuse_missing(self, missing: Sequence[str]) -> None:
        if missing and self.missing_topics == "error":
            said = f"{', '.join(map(str, self.files))}: {len(missing)} of the topics are not judged: {_first(missing)};"
            raise InputError(f"{said} leave them out of the topics, or set relevance.missing_topics=drop")


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
