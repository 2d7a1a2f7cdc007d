"""What the core asks this laboratory."""


def interval_methods() -> dict[str, str]:
    """The class of each method of bootstrap intervals by its name."""
    return {"bca": "clirbench.labs.papers.statistics.bca.BCa"}
