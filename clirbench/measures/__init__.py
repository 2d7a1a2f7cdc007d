"""IR measures: rank-biased overlap, AQWV, and everything ir-measures can parse.

`parse(name)` turns a name of the configuration into a measure, `score_run(measures, run, judged)` scores one system
with all of them; `RBO` also compares two rankings on its own. Imported where they are used, so that importing this
package stays cheap.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clirbench.measures.parsing import parse
    from clirbench.measures.rbo import RBO
    from clirbench.measures.scoring import score_run

__all__ = ["RBO", "parse", "score_run"]


def __getattr__(name: str) -> Any:
    """Import what this package exports at its first use (PEP 562)."""
    if name == "RBO":
        from clirbench.measures.rbo import RBO

        return RBO
    if name == "parse":
        from clirbench.measures.parsing import parse

        return parse
    if name == "score_run":
        from clirbench.measures.scoring import score_run

        return score_run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
