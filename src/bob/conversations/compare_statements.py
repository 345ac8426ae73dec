"""Compares statements by words and meaning: which says the same again, or ends another (SPEC G6), and what of
a message only repeats what Bob had put into the prompt, so that no memory feeds on itself.

Pure. The caller passes only memories of one scope: different projects or users are never compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from bob.conversations.stated_values import ends_value, keeps_value, subject_words
from bob.core.conversation import Memory
from bob.text.negation import denies
from bob.text.sentences import CODE_FENCE, message_sentences
from bob.text.words import folded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CHANGE = re.compile(
    r"(?<!\w)(?:no longer|no more|not \w+ any ?more|anymore|instead|rather than|moved|switched|migrated|"
    r"changed|"
    r"replaced|replaces|now|from now on|these days|actually|correction|turns out|reverted|off the table|"
    r"stopped|"
    r"used to|new|scrap that|"
    r"nao [\w ]{1,30}? mais|em vez d[eoa]|ao inves d[eoa]|mud(?:ei|amos|ou)|troc(?:amos|ou|uei)|migr(?:amos|"
    r"ou|ei)|"
    r"passamos|passou|substitu\w+|agora|a partir de agora|na verdade|correcao|voltamos atras|nov[oa]|"
    r"antes)(?!\w)"
)
_TO_A_MARK = r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|sra|dra)\.|[.,](?=\d)|[^,.;])*"
"""Up to the next mark that ends a clause: not the one of "Dr." or inside a figure."""

_BEFORE = re.compile(
    rf"\s*,?\s*(?:instead of|rather than|em vez d[eoa]|ao invés d[eoa])(?!\w){_TO_A_MARK}"
    rf"|\s*,\s*(?:and )?(?:no longer|not|no more|não mais|e não(?: mais)?)(?!\w){_TO_A_MARK}"
    r"|\s+d[eoa] (?-i:[A-Z0-9])[\w-]*(?= para )|\s+from (?:[\w'-]+ ){1,4}?(?=to )",
    re.IGNORECASE,
)
"""Where a statement of a change says what held before."""

_STATEMENT_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")


def figures(text: str) -> frozenset[str]:
    """The numbers of a text as they are written."""
    return frozenset(_STATEMENT_FIGURE.findall(text))


def changes(text: str) -> bool:
    """Whether the text tells of a change: "no longer", "moved to", "agora"."""
    return _read(text).changes


def asserted(text: str) -> str:
    """The statement without what it says held before: "gas instead of oil" is "gas"."""
    return _read(text).asserted


@dataclass(frozen=True, slots=True)
class _Reading:
    """A statement as it is compared: its subject words; `asserted` it without what it says held before, with
    the words of that; and whether it tells of a change."""

    words: frozenset[str]
    asserted: str
    asserted_words: frozenset[str]
    changes: bool


@lru_cache(8_192)
def _read(text: str) -> _Reading:
    plain = folded(text)
    words = frozenset(subject_words(plain))
    if not _CHANGE.search(plain):
        return _Reading(words, text, words, False)
    asserted = _BEFORE.sub("", text)
    return _Reading(words, asserted, frozenset(subject_words(asserted)), True)


SAME_COSINE = 0.84
"""Statements this near say the same when neither has a figure, a denial or a name of its own.
Paraphrases of tests/data/memory/pairs.jsonl lie above with all-MiniLM-L6-v2, changed values often as well:
hence the rules beside it."""

SAME_COSINE_WITH_WORDS, SAME_WORDS = 0.7, 0.6
"""Nearer statements than 0.7 say the same when they also share so much of the shorter one's words."""

SAME_ORDERED_WORDS = 0.85
"""Share of all words of two statements (Jaccard) above which only order, case or a filler differ."""

RELATED_COSINE = 0.45
"""Below, statements have different subjects, whatever words they share."""

DENIED_WORDS = 0.6
"""Share of the shorter statement's words that a denial has in common with what it ends."""

CHANGED_WORDS = 0.5
"""The same for a statement that says itself that something changed."""

_LEAST_SHARED = 2
"""Subject words in common before a changed value is one: "my app uses React" and "… Redis" may both hold."""

_LONGEST_VALUE = 3
"""Words in a value that took another's place."""

_TOKEN = re.compile(r"\w+(?:[.,:/]\d+)*")
_UNSAID = re.compile(r"(?<!\w)(?:the|an?|now|just|decided to|o|os|as|um|uma|agora|decidimos)(?!\w)")
_OWNERS_WORDS = "my our your his her their meu minha meus minhas nosso nossa nossos nossas seu sua"
_OWNERS = frozenset(_OWNERS_WORDS.split())
_PREPOSITIONS_WORDS = "for of in on at with from by to para no na nos nas do da dos das de em com por"
_PREPOSITIONS = frozenset(_PREPOSITIONS_WORDS.split())
_BEING_WORDS = "is are was be lives live stands sits work works fica ficam esta moro mora moramos trabalho"
_BEING = frozenset(_BEING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Same:
    """The memory that says it already."""

    memory_id: int


@dataclass(frozen=True, slots=True)
class Supersedes:
    """The memories that end with the new one, nearest first; at least one."""

    memory_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class New:
    """Nothing says it, and nothing speaks against it."""


Reconciled = Same | Supersedes | New
Relation = Literal["same", "ends", "apart"]


def reconcile(
    summary: str,
    vector: npt.NDArray[np.float32],
    memories: Sequence[Memory],
    vectors: npt.NDArray[np.float32],
) -> Reconciled:
    """What a new memory is to those that hold.

    Args:
        summary, vector: the new one; the vector has shape (dimension,) and length 1.
        memories, vectors: those of the same scope, and a row each, shape (len(memories), dimension). Those
            that ended (`valid_until`) are passed over.
    """
    rows = [row for row, memory in enumerate(memories) if memory.valid_until is None]
    conflicts = reconcile_texts(summary, vector, [memories[row].summary for row in rows], vectors[rows])
    match conflicts:
        case Same():
            return Same(memories[rows[conflicts.memory_id]].memory_id)
        case Supersedes():
            return Supersedes(tuple(memories[rows[position]].memory_id for position in conflicts.memory_ids))
    return conflicts


def reconcile_texts(
    summary: str, vector: npt.NDArray[np.float32], texts: Sequence[str], vectors: npt.NDArray[np.float32]
) -> Reconciled:
    """The same for texts that all hold; memories are named by their positions among them."""
    if not texts:
        return New()
    cosines = vectors @ vector
    ended = []
    for position in sorted(range(len(texts)), key=lambda index: (-float(cosines[index]), index)):
        how = relation(summary, texts[position], float(cosines[position]))
        if how == "same":
            # What says it again ends nothing more than it did the first time.
            return Same(position)
        if how == "ends":
            ended.append(position)
    return Supersedes(tuple(ended)) if ended else New()


@lru_cache(8_192)
def relation(new: str, old: str, cosine: float) -> Relation:
    """What a statement is to one that was said before it, which has this cosine with it."""
    if ends_value(new, old, cosine):
        return "ends"
    later, earlier = _read(new), _read(old)
    new_text, old_text = later.asserted, earlier.asserted
    ours, theirs = later.asserted_words, earlier.asserted_words
    if not ours or not theirs:
        return "same" if cosine >= SAME_COSINE else "apart"
    common = ours & theirs
    shorter = len(common) / min(len(ours), len(theirs))
    if cosine < RELATED_COSINE and shorter < SAME_ORDERED_WORDS:
        return "apart"
    if not keeps_value(new, old) and _ends(later, earlier):
        return "ends"
    if _is_of_another(new_text, old_text):
        return "apart"
    if denies(new_text) != denies(old_text) or (
        figures(new_text) != figures(old_text) and figures(new_text) and figures(old_text)
    ):
        return "apart"
    said_again = cosine >= SAME_COSINE and not _both_name(new_text, old_text)
    overlapping = (
        cosine >= SAME_COSINE_WITH_WORDS
        and shorter >= SAME_WORDS
        and not figures(new_text) - figures(old_text)
    )
    # What has no word of its own adds nothing.
    within = ours <= theirs and len(common) > _LEAST_SHARED
    ordered = within or len(common) / len(ours | theirs) >= SAME_ORDERED_WORDS
    return (
        "same" if said_again or ordered or (overlapping and not _both_name(new_text, old_text)) else "apart"
    )


def _ends(later: _Reading, earlier: _Reading) -> bool:
    """Whether a statement ends an earlier one by the words that they share."""
    ours, theirs = later.asserted_words, earlier.asserted_words
    common = ours & theirs
    shorter = len(common) / min(len(ours), len(theirs))
    if _has_another_subject(later.asserted, earlier.asserted):
        return False
    if denies(later.asserted) != denies(earlier.asserted) and shorter >= DENIED_WORDS:
        return True
    if _changed_value(later.asserted, earlier.asserted):
        return True
    former = later.words - ours
    # "The Savoy instead of the Bristol" ends what says the Bristol of the same subject, or little else.
    named = former <= theirs and len(common) > len(theirs - former - common)
    if former & theirs and common and ours - theirs and (named or theirs <= former | common):
        return True
    changed = later.changes and shorter >= CHANGED_WORDS and len(common) >= _LEAST_SHARED
    return changed and bool(ours - theirs)


@dataclass(frozen=True, slots=True)
class _Replaced:
    """Words of an earlier statement, and those that stand in their place in a later one; one of the two may
    be empty. `before` are the two words ahead of the place, `rest` all other words of the earlier one."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def is_one_for_one(self) -> bool:
        """Whether as many words of meaning stand on both sides, and others."""
        theirs, ours = (subject_words(" ".join(words)) for words in (self.old, self.new))
        return (
            0 < len(theirs) == len(ours) <= _LONGEST_VALUE
            and not set(theirs) & set(ours)
            and "".join(self.old) != "".join(self.new)
        )

    @property
    def is_at_subject(self) -> bool:
        """Whether the sentence begins there, or with who the subject belongs to ("my son")."""
        return all(word in _OWNERS for word in self.before)

    @property
    def is_empty(self) -> bool:
        """Whether no word of meaning stands on either side."""
        return not subject_words(" ".join((*self.old, *self.new)))


@lru_cache(8_192)
def _replaced(new: str, old: str) -> tuple[_Replaced, ...]:
    """Where two statements differ when their words are set against each other in order."""
    new_words, old_words = (_TOKEN.findall(_UNSAID.sub(" ", folded(text))) for text in (new, old))
    blocks = SequenceMatcher(None, old_words, new_words, autojunk=False).get_opcodes()
    return tuple(
        _Replaced(
            tuple(old_words[start:stop]),
            tuple(new_words[new_start:new_stop]),
            tuple(old_words[max(start - 2, 0) : start]),
            tuple(old_words[:start] + old_words[stop:]),
        )
        for kind, start, stop, new_start, new_stop in blocks
        if kind != "equal"
    )


def _has_another_subject(new: str, old: str) -> bool:
    """Whether a word stands in the place of the other's subject: "my daughter" where it says "my son"."""
    replaced = _replaced(new, old)
    return bool(replaced) and replaced[0].is_at_subject and replaced[0].is_one_for_one


def _is_of_another(new: str, old: str) -> bool:
    """Whether both say the same, word by word, of two things, or two things of the same."""
    replaced = [replacement for replacement in _replaced(new, old) if not replacement.is_empty]
    each_another = bool(replaced) and all(replacement.is_one_for_one for replacement in replaced)
    return each_another or _has_another_subject(new, old)


def _changed_value(new: str, old: str) -> bool:
    """Whether both say the same of the same subject but for one value: the words agree in order, save one
    place. The place is the subject's when the sentence begins there, or when a preposition leads to it ("for
    the billing service"), unless that follows a verb of being ("is in Rotterdam"), or figures stand there."""
    replaced = _replaced(new, old)
    if len(replaced) != 1 or not (replaced[0].old and replaced[0].new):
        return False
    (replacement,) = replaced
    if len(subject_words(" ".join(replacement.rest))) < _LEAST_SHARED:
        return False
    if max(len(replacement.old), len(replacement.new)) > _LONGEST_VALUE:
        return False
    if all(words[0].isdigit() for words in (replacement.old, replacement.new)):
        return True
    if not replacement.before or replacement.before[-1] in _OWNERS:
        return False
    return replacement.before[-1] not in _PREPOSITIONS or replacement.before[0] in _BEING


def _both_name(new: str, old: str) -> bool:
    """Whether each has a name, a word with a capital inside the sentence, that the other has not."""
    ours, theirs = (
        {
            word.strip(".,;:!?\"'()").casefold()
            for word in text.split()[1:]
            if word[:1].isupper() and len(word) > 1
        }
        for text in (new, old)
    )
    return bool(ours - theirs) and bool(theirs - ours)


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
_LISTED = re.compile(r"^\W*\[[^\W\d]*\s?\d+\]\s*")
"""What stands before a memory in a list of a prompt: "- [85]"."""


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
        reading = _read(sentence)
        self.sentence = _LISTED.sub("", sentence)
        self.words = reading.words
        self.holding = reading.asserted_words
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
    words = _read(spoken).words
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


def _adds(sentence: str, words: frozenset[str], known_form: _Known) -> bool:
    """Whether a sentence that is near a known one says something else after all."""
    fresh = words - known_form.words
    if denies(sentence) != known_form.denies or _is_of_another(sentence, known_form.sentence):
        return True
    # "… on 3 May now, no longer on 10 May" has all words of what said the opposite.
    reading = _read(sentence)
    if reading.changes and reading.asserted_words - known_form.holding:
        return True
    marked = re.findall(r"(?<=\s)[A-Z]\w+|\w*\d[\w.,]*", sentence)
    names = {word for name in marked for word in subject_words(name)}
    return bool(fresh & names) or len(fresh) > max(1, len(words) // 4)


def _shingles(sentence: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", folded(sentence))
    return frozenset(tuple(words[index : index + _RUN]) for index in range(len(words) - _RUN + 1))


def _unquoted(text: str) -> str:
    return "\n".join(_QUOTE_MARK.sub("", line) for line in text.splitlines())
