"""Tells what of a message only repeats what Bob had put into the prompt, so that no memory feeds on itself.

A sentence repeats, quoted (`> …`) or not, when its words are in one injected sentence already and it adds
none that matters: no other name, no figure, no denial, no word of change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.conversations.signals import asserted, changes, subject_words
from bob.text.negation import denies
from bob.text.sentences import CODE_FENCE, message_sentences
from bob.text.words import folded

_COVERED = 0.8
"""Share of a sentence's meaningful words that one injected sentence must have. With five words one may
differ, and `_adds` then asks whether it is one that matters."""

_RUN = 3
"""Words in a shingle: chance runs of two are common, of three rare."""

_SHINGLES = 0.7
"""Share of its shingles that a sentence has in common with an injected one when it repeats it word by
word."""

_FEW = 3
"""A sentence of fewer words is in many others by chance: it repeats one only if it has half of its words, or
says that it repeats ("as you said")."""

_LEADING = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|yes|right|well|então|e|sim|bom|certo)\W+)*(?:as (?:you|we|i) (?:said|"
    r"mentioned|noted|"
    r"told me|know|remember)(?: (?:before|earlier|above))?|like (?:you|i|we) said|according to (?:your|the|"
    r"my) "
    r"(?:memory|notes|context)|you (?:said|told me|mentioned|remembered)(?: that)?|i remember(?: that)?|"
    r"como (?:você|eu|já) (?:disse|falou|falei|mencionou|lembrou)|segundo (?:a|sua) memória|"
    r"você (?:disse|lembrou|falou)(?: que)?)\W+",
    re.IGNORECASE,
)
_QUOTE_MARK = re.compile(r"^\s*>+\s?")


@dataclass(frozen=True, slots=True)
class NewPart:
    """What of a message is the speaker's own. `text` is empty when all of it repeats; `repeated` holds the
    sentences that do."""

    text: str
    repeated: tuple[str, ...]


def new_part(text: str, injected: Sequence[str]) -> NewPart:
    """The message without what repeats the texts injected into this chat's recent prompts; pure.

    Sentences keep their order and line; when nothing repeats the text is as it was, to the byte. Blocks of
    code go when they stand in an injected text.
    """
    if not injected or not text.strip():
        return NewPart(text, ())
    sentences = [sentence for text in injected for sentence in message_sentences(_unquoted(text))]
    # "… on 3 May now, no longer on 10 May" is repeated by "… on 3 May", too.
    known_forms = [_Known(form) for each in sentences for form in dict.fromkeys((each, asserted(each)))]
    whole = " ".join(folded(" ".join(injected)).split())
    repeated: list[str] = []
    new_lines: list[str] = []
    end = 0
    for fence in CODE_FENCE.finditer(text):
        new_lines += _new_lines(text[end : fence.start()], known_forms, repeated)
        code = " ".join(folded(fence[0].strip("`")).split())
        if code and code in whole:
            repeated.append(fence[0])
        else:
            new_lines.append(fence[0])
        end = fence.end()
    new_lines += _new_lines(text[end:], known_forms, repeated)
    if not repeated:
        return NewPart(text, ())
    return NewPart("\n".join(new_lines).strip(), tuple(repeated))


class _Known:
    """A sentence that was injected, taken apart for comparison."""

    def __init__(self, sentence: str) -> None:
        self.words = set(subject_words(sentence))
        self.holding = set(subject_words(asserted(sentence)))
        self.shingles = _shingles(sentence)
        self.denies = denies(sentence)


def _new_lines(text: str, known_forms: Sequence[_Known], repeated: list[str]) -> list[str]:
    lines = []
    for line in text.splitlines():
        own = []
        for sentence in message_sentences(_unquoted(line)):
            if _repeats(sentence, known_forms):
                repeated.append(sentence)
            else:
                own.append(sentence)
        if own:
            quoted = _QUOTE_MARK.match(line)
            lines.append((quoted[0] if quoted else "") + " ".join(own))
    return lines


def _repeats(sentence: str, known_forms: Sequence[_Known]) -> bool:
    spoken, announced = _LEADING.subn("", sentence)
    words = set(subject_words(spoken))
    if not words:
        return False
    few = len(words) < _FEW and not announced
    shingles = _shingles(spoken)
    for known_form in known_forms:
        covered = len(words & known_form.words) / len(words)
        common = len(shingles & known_form.shingles) / len(shingles) if shingles else 0.0
        if few and len(words & known_form.words) * 2 < len(known_form.words):
            continue
        if (covered >= _COVERED or common >= _SHINGLES) and not _adds(spoken, words, known_form):
            return True
    return False


def _adds(sentence: str, words: set[str], known_form: _Known) -> bool:
    """Whether a sentence that is near a known one says something else after all."""
    fresh = words - known_form.words
    if denies(sentence) != known_form.denies:
        return True
    # "… on 3 May now, no longer on 10 May" has all words of what said the opposite.
    if changes(sentence) and set(subject_words(asserted(sentence))) - known_form.holding:
        return True
    marked = re.findall(r"(?<=\s)[A-Z]\w+|\w*\d[\w.,]*", sentence)
    names = {word for name in marked for word in subject_words(name)}
    return bool(fresh & names) or len(fresh) > max(1, len(words) // 4)


def _shingles(sentence: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", folded(sentence))
    return frozenset(tuple(words[index : index + _RUN]) for index in range(len(words) - _RUN + 1))


def _unquoted(text: str) -> str:
    return "\n".join(_QUOTE_MARK.sub("", line) for line in text.splitlines())
