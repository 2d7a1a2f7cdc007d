"""What published vocabularies say together: a rule of thumb for their size, and bias by imbalance.

**Source:** Gowda 2020, Figures 2 to 6 and 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

from clirbench.analyses.types import COLORS
from clirbench.statistics.imbalance import Recommendation, Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATES = ("rho_precision_dev", "rho_recall_dev")


@dataclass(frozen=True)
class Bias:
    """Of one vocabulary, D and the correlation of the rank of a class with its precision and its recall."""

    group: str
    name: str
    divergence: float
    precision: float
    recall: float


def how_good(advice: Sequence[Recommendation], floor: float) -> str:
    """How good the rule of thumb was on the published scores."""
    given = [row for row in advice if row.taken != "none"]
    hits = sum(row.taken == row.best for row in given)
    worst = max((row.difference for row in given), default=nan)
    return (
        f"Largest vocabulary with F95 >= {floor:g}: in {hits} of {len(given)} settings it is the one with the best "
        f"test BLEU, at worst it is {worst:.1f} BLEU below; {len(advice) - len(given)} settings have no such "
        "vocabulary."
    )


def biases(rows: Rows) -> list[Bias]:
    """The bias of every vocabulary that has it (of the development set)."""
    return [
        Bias(group, name, float(row["D_published"]), float(row[RATES[0]]), float(row[RATES[1]]))
        for (group, name), row in rows.items()
        if row[RATES[0]] and row[RATES[1]]
    ]


def sweep_figure(rows: Rows) -> "Figure":
    """mu, D, F95 and test BLEU by vocabulary size, a line for each group (Figures 2 to 6)."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9, 7), layout="constrained")
    axes = drawn.subplots(2, 2).ravel()
    panels = [("mu", "mu"), ("D_published", "D"), ("F95", "F95"), ("BLEU_test", "BLEU")]
    groups = list(dict.fromkeys(group for group, _ in rows))
    for axis, (column, label) in zip(axes, panels, strict=True):
        for at, group in enumerate(groups):
            points = sorted(
                (float(row["used"]), float(row[column]))
                for (here, _), row in rows.items()
                if here == group and row[column]
            )
            style = "-" if at < len(COLORS) else "--"
            axis.plot(*zip(*points, strict=True), style, color=COLORS[at % len(COLORS)], label=group, linewidth=1)
        axis.set_xscale("log")
        axis.set_yscale("log" if label in ("F95", "mu") else "linear")
        axis.set_xlabel("classes")
        axis.set_ylabel(label)
        axis.grid(alpha=0.25, linewidth=0.5)
    axes[0].legend(fontsize=6)
    return drawn


def bias_figure(found: Sequence[Bias]) -> "Figure":
    """Correlation of class rank with precision and with recall, by D (Figure 8)."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6, 4), layout="constrained")
    axis = drawn.subplots()
    x = [bias.divergence for bias in found]
    axis.scatter(x, [bias.precision for bias in found], s=14, color=COLORS[0], label="rank and precision")
    axis.scatter(x, [bias.recall for bias in found], s=14, color=COLORS[1], label="rank and recall")
    axis.axhline(0, color="#999999", linewidth=0.7)
    axis.set_xlabel("D")
    axis.set_ylabel("Pearson's r")
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.legend()
    return drawn
