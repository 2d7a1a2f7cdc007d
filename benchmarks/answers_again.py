"""The answers of runs a second time, from their folders alone: `python benchmarks/answers_again.py FOLDER ...`.

Nothing of clirbench is used; taus, jackknife and interval are plain loops over systems.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import kendalltau, norm

CLOSE = 1e-5  # of a line between tabled true taus
ALPHA = 0.05


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


def variance(t, n):
    three = 1 / 9 - 4 / np.pi**2 * np.arcsin(np.sin(np.pi * t / 2) / 2) ** 2
    return 2 / (n * (n - 1)) * (1 - t * t + 2 * (n - 2) * three)


def without(column, group, one):
    return [value for value, g in zip(column, group, strict=True) if g != one]


def ends(x, y, group, side):
    """The interval of one metric: the true taus at which the observed one is z standard errors off, by bisection."""
    names = sorted(set(group))
    n, tau = len(names), tau_between(x, y, group)
    rest = [tau_between(without(x, group, g), without(y, group, g), without(group, group, g)) for g in names]
    jackknife = (n - 1) / n * sum((one - np.mean(rest)) ** 2 for one in rest)
    pairs = n * (n - 1) / 2
    seen = variance(tau * pairs / (pairs + 1), n)
    times = (20 * 1.15**2 + (n - 1) * (jackknife / seen if np.isfinite(jackknife) else 1.15**2)) / (19 + n)

    def off(t):
        return abs(tau - t) - norm.isf(side) * np.sqrt(times * (0.8 * variance(t, n) + 0.2 * seen))

    found = [float(limit if off(limit) <= 0 else brentq(off, limit, tau)) for limit in (-1, 1)]
    exact = len(x) == n <= 9 and max(len(set(x)), len(set(y))) == n
    if exact and kendalltau(x, y, alternative="greater" if tau > 0 else "less").pvalue >= side:
        found = [min(found[0], 0.0), found[1]] if tau > 0 else [found[0], max(found[1], 0.0)]
    return tau, found


def effective(columns, group):
    """Nyholt 2004, over pairs of different groups, each weighted by the sizes of both."""
    m, kept = len(columns), [(i, j) for i in range(len(group)) for j in range(len(group)) if group[i] != group[j]]
    weight = np.array([1 / np.sqrt(group.count(group[i]) * group.count(group[j])) for i, j in kept])
    signs = [np.nan_to_num([np.sign(x[i] - x[j]) for i, j in kept]) * weight for x in columns]
    sizes = np.array([np.sqrt(one @ one) for one in signs])
    products = np.array([[one @ other for other in signs] for one in signs]) / np.outer(sizes, sizes)
    return 1 + (m - 1) * (1 - np.linalg.eigvalsh(products).var(ddof=1) / m) if m > 1 else 1.0


def grade(row):
    low, high, known = (float(row[name] or "nan") for name in ("ci_low", "ci_high", "reliability"))
    at = 0 if low >= 0.5 else 1 if low >= 0.25 else 2 if low > 0 else None
    if at is None:
        if high < 0 or known < 0.6:
            return "contradicted" if high < 0 else "too noisy to tell"
        return "little" if high < 0.5 else "open"
    return ["strong", "moderate", "weak"][at]


def main(folders):
    wrong = compared = 0
    for folder in map(Path, folders):
        results = json.loads((folder / "results.json").read_text())
        with (folder / "correlations.tsv").open(newline="") as c, (folder / "systems.tsv").open(newline="") as s:
            rows, systems = list(csv.DictReader(c, delimiter="\t")), list(csv.DictReader(s, delimiter="\t"))
        source, measure = results["units"]["source"], results["measure"]
        tested = [r for r in rows if r["measure"] == measure and r["coefficient"] == "kendall" and r["ci_low"]]
        whole = [s for s in systems if s[measure]]
        group = [s[source] if source in s else s["system"] for s in whole]
        values = {r["metric"]: np.array([float(s[r["metric"]] or "nan") for s in whole]) for r in tested}
        side = ALPHA / max(2.0, effective(list(values.values()), group)) if tested else ALPHA
        for row in tested:
            x, there = values[row["metric"]], np.isfinite(values[row["metric"]])
            own = [g for g, kept in zip(group, there, strict=True) if kept]
            if len(set(own)) != int(row["groups"]):
                continue  # groups by text or by names are not in the tables
            y, compared = np.array([float(s[measure]) for s in whole]), compared + 1
            sign = 1.0 if float(row["value"]) * tau_between(x[there], y[there], own) >= 0 else -1.0  # less is better
            tau, (low, high) = ends(list(sign * x[there]), list(y[there]), own, side)
            off = max(abs(low - float(row["ci_low"])), abs(high - float(row["ci_high"])))
            differs = not row["lowered"] and grade(row) != row["grade"]
            if abs(tau - float(row["value"])) > 1e-12 or off > CLOSE or differs:
                wrong += 1
                said = [row[name] for name in ("metric", "value", "ci_low", "ci_high", "grade")]
                print(folder.name, *said, "is", tau, low, high)
    print(f"{compared} answers computed again, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
