"""Porter's stemmer as Lucene has it: the algorithm of 1980 with the two departures of its author's own C version.

The departures are `-bli` to `-ble` (published: `-abli` to `-able`) and `-logi` to `-log`. Characters outside a-z are
consonants, words of one or two UTF-16 code units are left alone; both follow Lucene's code, which works on Java's
`char`s. Snowball's `porter` differs: it keeps `-logi` and undoubles fewer letters (`revving`, `trekking`).

**Source:** M. F. Porter (1980), An algorithm for suffix stripping, Program 14(3), 130-137; the departures:
https://tartarus.org/martin/PorterStemmer/ ("points of difference from the published algorithm").
"""

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip
_RULES = (
    (_STEP_2, 0),
    (_STEP_3, 0),
    ({suffix: suffix[:-3] if suffix.endswith("ion") else "" for suffix in _STEP_4}, 1),
)
"""Steps 2 to 4: suffixes and what they become where the stem has a measure above the number."""


def porter(word: str) -> str:
    """The stem of a lower-case word."""
    if not word.isascii() and max(word) > "\uffff":  # Java's view: a character beyond the 16-bit plane is two
        units = word.encode("utf-16-be", "surrogatepass")
        pieces = "".join(chr(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2))
        stem = _stem(pieces) if len(pieces) > 2 else pieces
        return stem.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    return _stem(word) if len(word) > 2 else word


def _stem(word: str) -> str:
    word = _step_1b(_step_1a(word))
    if word.endswith("y") and _has_vowel(word[:-1]):  # step 1c
        word = word[:-1] + "i"
    for rules, least in _RULES:
        word = _replace(word, rules, least)
    return _step_5(word)


def _step_1a(word: str) -> str:
    """Plurals: caresses, ponies, cats; caress stays."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _step_1b(word: str) -> str:
    """Past and progressive: agreed, plastered, motoring; then the stem is mended (conflat-ed, hopp-ing, fil-ing)."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            if not _has_vowel(stem):
                return word
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if _ends_doubled(stem):
                return stem if stem[-1] in "lsz" else stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem
    return word


def _replace(word: str, rules: dict[str, str], least: int) -> str:
    """The first rule whose suffix fits decides, whether or not its stem is long enough; `-ion` only after s or t."""
    for suffix, replacement in rules.items():
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            fits = _measure(stem) > least and (suffix != "ion" or stem.endswith(("s", "t")))
            return stem + replacement if fits else word
    return word


def _step_5(word: str) -> str:
    """A last -e, and -ll. Both conditions are measured on the word as it entered the step, as in the C version."""
    if word[-1:] not in ("e", "l"):
        return word
    measure = _measure(word)
    stem = word
    if word.endswith("e") and (measure > 1 or (measure == 1 and not _ends_cvc(word[:-1]))):
        stem = word[:-1]
    if stem.endswith("l") and _ends_doubled(stem) and measure > 1:
        return stem[:-1]
    return stem


class _Kinds(dict[int, str]):
    """v for a vowel, y for y, c for every other character."""

    def __missing__(self, character: int) -> str:
        return "c"


_KINDS = _Kinds({ord(letter): "y" if letter == "y" else "v" for letter in "aeiouy"})


def _shape(word: str) -> str:
    """`word` with v for each vowel and c for each consonant; y is a vowel after a consonant."""
    shape = word.translate(_KINDS)
    while "y" in shape:
        at = shape.index("y")
        shape = shape[:at] + ("v" if shape[at - 1 : at] == "c" else "c") + shape[at + 1 :]
    return shape


def _measure(word: str) -> int:
    """m in [C](VC)^m[V]."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"
