"""The answers of runs a second time, from their folders alone: `python benchmarks/answers_again.py FOLDER ...`.

Nothing of clirbench is used; intervals are inverted in a simulation of its own (t copula, 4 degrees of freedom).
"""

import csv
import json
import sys
from functools import cache
from pathlib import Path

import numpy as np

DRAWS, DF = 20_000, 4
CLOSE = 0.03  # two simulations, and a grid of true taus


def tau_between(x, y, group):
    """sum w s(x) s(y) / sqrt(sum w s(x)^2 sum w s(y)^2) over pairs of different groups, w = 1 / sizes of both."""
    size = {g: group.count(g) for g in group}
    both = left = right = 0.0
    for i in range(len(x)):
        for j in range(i):
            if group[i] != group[j]:
                w, a, b = 1 / (size[group[i]] * size[group[j]]), np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
                both, left, right = both + w * a * b, left + w * a * a, right + w * b * b
    return both / np.sqrt(left * right)


@cache
def simulated(n, true):
    """(draws,) Kendall's taus of n pairs from the copula whose tau is `true`."""
    rng = np.random.default_rng([n, round(1000 * (true + 1))])
    r = np.sin(np.pi * true / 2)
    z = rng.normal(size=(2, DRAWS, n))
    scale = np.sqrt(rng.chisquare(DF, size=(DRAWS, n)) / DF)
    x, y = z[0] / scale, (r * z[0] + np.sqrt(max(0, 1 - r * r)) * z[1]) / scale
    total = np.zeros(DRAWS)
    for i in range(n):
        for j in range(i):
            total += np.sign(x[:, i] - x[:, j]) * np.sign(y[:, i] - y[:, j])
    return total / (n * (n - 1) / 2)


def tail(tau, n, true):
    """P(T > tau) + P(T = tau) / 2; for a tau of groups, which T cannot take, on the line between its neighbours."""
    found, step = simulated(n, true), 4 / (n * (n - 1))
    below = np.floor((tau + 1) / step + 1e-9) * step - 1
    ends = [(found > t + 1e-9).mean() + (np.abs(found - t) <= 1e-9).mean() / 2 for t in (below, below + step)]
    return ends[0] + (ends[1] - ends[0]) * (tau - below) / step


def end(tau, n, p):
    """The true tau at which P(T > tau) + P(T = tau) / 2 is p, by bisection; -1 or 1 where none has."""
    low, high = -1.0, 1.0
    for _ in range(9 * (tail(tau, n, 0.999) >= p)):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(tau, n, middle) < p else (low, middle)
    return (low + high) / 2 if low > -1 or high < 1 else 1.0


def grade(row):
    lower, upper, known = (float(row[name] or "nan") for name in ("lower", "upper", "reliability"))
    if np.isnan(lower):
        return ""
    at = 0 if lower >= 0.5 else 1 if lower >= 0.25 else 2 if lower > 0 else None
    if at is None:
        return (
            "contradicted" if upper < 0 else "too noisy to tell" if known < 0.6 else "little" if upper < 0.5 else "open"
        )
    return ["strong", "moderate", "weak", "open"][min(3, at + len(row["lowered"].split()))]


def main(folders):
    wrong = compared = 0
    for folder in map(Path, folders):
        results = json.loads((folder / "results.json").read_text())
        with (folder / "correlations.tsv").open(newline="") as c, (folder / "systems.tsv").open(newline="") as s:
            rows, systems = list(csv.DictReader(c, delimiter="\t")), list(csv.DictReader(s, delimiter="\t"))
        for row in (r for r in rows if r["measure"] == results["measure"] and r["coefficient"] == "kendall"):
            known = [s for s in systems if s[row["metric"]] and s[row["measure"]]]
            x, y = (np.array([float(s[row[side]]) for s in known]) for side in ("metric", "measure"))
            source = results["units"]["source"]
            group = [s[source] if source in s else s["system"] for s in known]
            if len(set(group)) != int(row["groups"]) or not row["ci_low"]:
                continue  # groups by text or by names are not in the tables
            n, compared = len(set(group)), compared + 1
            tau = tau_between(x, y, group)
            ends = end(tau, n, 0.025), end(tau, n, 0.975)
            off = max(abs(ends[0] - float(row["ci_low"])), abs(ends[1] - float(row["ci_high"])))
            if abs(tau - float(row["value"])) > 1e-12 or off > CLOSE or grade(row) != row["grade"]:
                wrong += 1
                print(folder.name, row["metric"], tau, row["value"], ends, row["ci_low"], row["ci_high"], row["grade"])
    print(f"{compared} answers computed again, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
