"""Words by Unicode's word boundary rules, as Lucene 9.9.1's StandardTokenizer finds them.

A word is the longest run that the rules of UAX #29 join and that holds a letter or a digit (`don't`, `U.S`, `1,000`,
`a_b`, `_x`). Beyond the rules, which leave this to implementers: an ideograph or a Hiragana character is a word
of its own, a run of Thai, Lao, Khmer or Burmese is one word, and so is an emoji with all that is joined to it.
A word of more than 255 UTF-16 code units is cut there and goes on as a new word.

**Source:** Unicode Standard Annex #29, section 4 (WB1-WB999); Unicode Technical Standard #51 (emoji sequences).
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

LONGEST = 255

# In ASCII the rules come down to this: letters, digits and `_` join; `.` and `'` join two letters or two digits,
# `:` joins two letters, `,` and `;` join two digits.
_ASCII = re.compile(r"_*[A-Za-z0-9](?:[A-Za-z0-9_]+|(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))*")


def words(text: str) -> list[str]:
    """The words of `text` in reading order, cut at 255 UTF-16 code units."""
    found: list[str] = _ASCII.findall(text) if text.isascii() else _unicode().findall(text)
    if len(text) * 2 <= LONGEST or all(len(word) * 2 <= LONGEST for word in found):
        return found
    return _cut(text)


def _cut(text: str) -> list[str]:
    """Words where no word may look further than 255 UTF-16 code units from its own start."""
    pattern = _ASCII if text.isascii() else _unicode()
    found = []
    at = 0
    while match := pattern.search(text, at):
        start = match.start()
        end = _end_of_window(text, start)
        if match.end() > end:
            match = pattern.match(text, start, end)
            if match is None:
                at = start + 1
                continue
        found.append(match[0])
        at = match.end()
    return found


def _end_of_window(text: str, start: int) -> int:
    """The largest end so that text[start:end] has at most 255 UTF-16 code units."""
    units = 0
    for at in range(start, min(len(text), start + LONGEST)):
        units += 2 if text[at] > "\uffff" else 1
        if units > LONGEST:
            return at
    return min(len(text), start + LONGEST)


@lru_cache(maxsize=1)
def _unicode() -> "regex.Pattern[str]":
    """The rules for any text. Written so that the first match is the longest: each step takes all it can get."""
    import regex

    joined = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"  # WB4: these belong to the character before them
    classes = {
        "LETTER": r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]",
        "HEBREW": r"\p{WB=Hebrew_Letter}",
        "DIGIT": r"[\p{WB=Numeric}\uFF10-\uFF19]",
        "KATAKANA": r"\p{WB=Katakana}",
        "UNDERSCORE": r"\p{WB=ExtendNumLet}",
        "BETWEEN_LETTERS": r"[\p{WB=MidLetter}\p{WB=MidNumLet}']",
        "BETWEEN_DIGITS": r"[\p{WB=MidNum}\p{WB=MidNumLet}']",
        "SINGLE": "'",
        "DOUBLE": '"',
        "COMPLEX": r"\p{LB=SA}",
        "ALONE": r"[\p{Script=Han}\p{Script=Hiragana}]",
    }
    part = {name: f"(?:{members}{joined})" for name, members in classes.items()}
    hebrew = "{HEBREW}(?:{SINGLE}|{DOUBLE}{HEBREW})"  # WB7a-c: geresh may end a word, gershayim stands within
    letters = "{LETTER}(?:{BETWEEN_LETTERS}{LETTER})*+"  # WB5-7
    digits = "{DIGIT}(?:{BETWEEN_DIGITS}{DIGIT})*+"  # WB8, WB11-12
    core = f"(?:{{KATAKANA}}++|(?:{hebrew}|{letters}|{digits})++)"  # WB9-10, WB13
    word = f"{{UNDERSCORE}}*+{core}(?:{{UNDERSCORE}}++{core})*{{UNDERSCORE}}*+"  # WB13a-b
    emoji = (
        r"(?:\p{Regional_Indicator}{2}"
        r"|[#*]\uFE0F?\u20E3"
        r"|\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?(?:\u200D\p{Extended_Pictographic}"
        r"[\p{Emoji_Modifier}\uFE0F]?)*)" + joined
    )
    return regex.compile((word + "|{COMPLEX}++|{ALONE}|").format(**part) + emoji)
