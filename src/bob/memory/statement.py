"""What a short statement is about and what it says of it: its words, figures, denial and words of change."""

from __future__ import annotations

import re

from bob.text.words import folded

_WORD = re.compile(r"\w+(?:[.,:/+#-]\w+)*[+#]*")
_GRAMMAR_WORDS = """
    a an the and or but so of to in on at by for from with as is are was were be been being it its this
    that these those i we you he she they me us my our your his her their mine ours do does did done
    have has had will would shall should can could may might must just also very really too only then
    than there here what which who when where how why if about into over all any each every now not no
    never longer more anymore always please yes ok t s m ve re ll d don doesn didn isn won o os um uma
    uns umas e ou mas de da dos das em na nos nas por pelo pela para pra com como que se ao aos foi era
    sao ser estar esta estao eu voce ele ela eles elas meu minha meus minhas nosso nossa nossos nossas
    seu sua seus suas isso isto este esse essa ja tambem muito apenas nao nunca jamais mais agora todo
    toda todos todas quando onde porque sempre sim decided decide agreed agree chose chosen choose using
    use used uses going went go moved move switched switch changed change instead settled picked
    decidimos decidi combinamos escolhemos escolhi usar usamos uso usa vamos mudamos mudei trocamos
    migramos passamos vez ficou remember note lembre
"""
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
"""Words that say nothing of a subject: grammar, and the verbs that announce a choice."""
_DENIAL = re.compile(
    r"(?<!\w)(?:not|no longer|no more|never|without|neither|nor|cannot|none|anymore|any more|stopped|dropped|"
    r"cancell?ed|abandoned|\w+n't|nao|nunca|jamais|sem|nem|nenhum|nenhuma|deixamos de|deixei de|paramos de|"
    r"parei de|cancelamos|abandonamos)(?!\w)"
)
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

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_SUFFIXES = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""No stem is shorter: "uses" and "used" meet, "is" and "as" do not."""


def subject_words(text: str) -> list[str]:
    """The words that carry meaning, folded and without plain endings, in order. Figures are among them."""
    found = []
    for word in _WORD.findall(folded(text)):
        if word not in _GRAMMAR:
            found.append(_stem(word))
    return found


def figures(text: str) -> frozenset[str]:
    """The numbers of a text as they are written."""
    return frozenset(_FIGURE.findall(text))


def denies(text: str) -> bool:
    """Whether the text denies something; two denials count as one."""
    return bool(_DENIAL.search(folded(text)))


def changes(text: str) -> bool:
    """Whether the text tells of a change: "no longer", "moved to", "agora"."""
    return bool(_CHANGE.search(folded(text)))


def asserted(text: str) -> str:
    """The statement without what it says held before: "gas instead of oil" is "gas"."""
    return _BEFORE.sub("", text) if changes(text) else text


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM:
            return word[: -len(suffix)].rstrip("e")
    return word if len(word) <= _STEM else word.rstrip("e")
