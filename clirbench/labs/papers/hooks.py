"""What the core asks this laboratory."""

from typing import Any


def measures() -> dict[str, tuple[type, dict[str, Any]]]:
    """The class of each measure by its name, and what the name sets."""
    from clirbench.labs.papers.query_aware import AQWV, MQWV, OQWV

    return {"AQWV": (AQWV, {}), "mAQWV": (AQWV, {"empty": "modified"}), "MQWV": (MQWV, {}), "OQWV": (OQWV, {})}
