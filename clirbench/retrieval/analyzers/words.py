"""Words by Unicode's word boundary rules, as Lucene 9.9.1's StandardTokenizer finds them.

A word is the longest run that the rules of UAX #29 join and that holds a letter or a digit (`don't`, `U.S`, `1,000`,
`a_b`, `_x`). Beyond the rules, which leave this to implementers: an ideograph or a Hiragana character is a word
of its own, a run of Thai, Lao, Khmer or Burmese is one word, and so is an emoji with all that is joined to it.
A word of more than 255 UTF-16 code units is cut there and goes on as a new word.

Characters are classed as of Unicode 12.1, which is Lucene 9.9.1's; younger ones belong to no word. The rules are
one regular expression over the classes of the characters, a letter each (see word_classes.txt).

**Source:** Unicode Standard Annex #29, section 4 (WB1-WB999); Unicode Technical Standard #51 (emoji sequences).
"""

import re
from bisect import bisect_right
from functools import lru_cache
from importlib import resources

LONGEST = 255
UNICODE = "12.1"

# In ASCII the rules come down to this: letters, digits and `_` join; `.` and `'` join two letters or two digits,
# `:` joins two letters, `,` and `;` join two digits.
_ASCII = re.compile(r"_*[A-Za-z0-9](?:[A-Za-z0-9_]+|(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))*")


def words(text: str) -> list[str]:
    """The words of `text` in reading order, cut at 255 UTF-16 code units; none for text without any."""
    if text.isascii():
        found: list[str] = _ASCII.findall(text)
    else:
        found = [text[match.start() : match.end()] for match in _rules().finditer(_classes_of(text))]
    if 2 * len(text) <= LONGEST or all(2 * len(word) <= LONGEST for word in found):
        return found
    return _cut(text)


def _cut(text: str) -> list[str]:
    """Words where none may look further than 255 UTF-16 code units from its own start."""
    classes = _classes_of(text)
    found = []
    at = 0
    while match := _rules().search(classes, at):
        start = match.start()
        window = _end_of_window(text, start)
        inside = match if match.end() <= window else _rules().match(classes, start, window)
        at = inside.end() if inside else start + 1
        if inside:
            found.append(text[start:at])
    return found


def _end_of_window(text: str, start: int) -> int:
    """The largest end so that text[start:end] has at most 255 UTF-16 code units."""
    units = 0
    for at in range(start, min(len(text), start + LONGEST)):
        units += 2 if text[at] > "\uffff" else 1
        if units > LONGEST:
            return at
    return min(len(text), start + LONGEST)


def _classes_of(text: str) -> str:
    """The class of every character of `text`, one letter each."""
    return text.translate(_class_by_character())


class _ClassByCharacter(dict[int, str]):
    """Looks a character's class up in the sorted ranges once, and remembers it."""

    def __init__(self) -> None:
        super().__init__()
        ranges = []
        for line in resources.files(__package__).joinpath("word_classes.txt").read_text("utf-8").split("\n"):
            if line and not line.startswith("#"):
                name, *members = line.split(" ")
                for member in members:
                    first, _, last = member.partition("-")
                    ranges.append((int(first, 16), int(last or first, 16), name))
        ranges.sort()
        self._firsts = [first for first, _, _ in ranges]
        self._ranges = ranges

    def __missing__(self, character: int) -> str:
        at = bisect_right(self._firsts, character) - 1
        inside = at >= 0 and character <= self._ranges[at][1]
        self[character] = self._ranges[at][2] if inside else "o"
        return self[character]


@lru_cache(maxsize=1)
def _class_by_character() -> _ClassByCharacter:
    return _ClassByCharacter()


@lru_cache(maxsize=1)
def _rules() -> re.Pattern[str]:
    """The rules as a pattern of classes; each step takes all it can get, so that the first match is the longest."""

    extending = "XZVtvTM"

    def one(members: str) -> str:
        return f"(?:[{members}][{extending}]*+)"  # WB4: what extends a character goes with it

    letter, hebrew, digit, katakana, underscore = one("LH"), one("H"), one("D"), one("K"), one("U")
    single, double = one("q"), one("d")
    gershayim = f"{hebrew}(?:{single}|{double}{hebrew})"  # WB7a-c: ' may end a Hebrew word, \" stands within one
    letters = f"{letter}(?:{one('mbq')}{letter})*+"  # WB5-7
    digits = f"{digit}(?:{one('nbq')}{digit})*+"  # WB8, WB11-12
    core = f"(?:{katakana}++|(?:{gershayim}|{letters}|{digits})++)"  # WB9-10, WB13
    word = f"{underscore}*+{core}(?:{underscore}++{core})*+{underscore}*+"  # WB13a-b
    held = "[XZvTM]*"  # an emoji keeps what extends it, but for the two style selectors
    joined = f"(?:(?:(?<=Z)P|Z++P){held}V?|(?<=V)ZM{held})*+"  # WB3c
    emoji = f"{one('R')}{one('R')}|Z*+P{held}V?{joined}|M{held}{joined}|k{held}V?v{held}"
    return re.compile(f"{word}|{one('ST')}++|{one('A')}|{emoji}")
