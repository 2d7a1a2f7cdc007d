"""Topics that a manifest finds."""

from pathlib import Path

import pytest

from clirbench.errors import MissingData
from clirbench.topics.manifest import ManifestTopics
from clirbench.topics.trec import TrecTopics
from clirbench.types import Documents


def test_gov2_from_the_mirror(shared_data: Path) -> None:
    source = ManifestTopics("gov2", ["title", "description"], mirror=str(shared_data))
    topics = source.topics(Documents.of([]))
    assert len(topics) == 150
    assert topics[-1].text.startswith("Mississippi River flood")
    path = shared_data / "queries" / "trec-terabyte" / "topics.701-850.txt"
    assert source.signature == TrecTopics(str(path), ["title", "description"]).signature


def test_gov2_without_the_file(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"data set gov2 is not here"):
        ManifestTopics(cache=str(tmp_path)).topics(Documents.of([]))
