"""What a sentence shows of its worth by its words alone: who speaks, what is decided, liked, dated, asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bob.text.cues import announces_decision, states_preference
from bob.text.dates import MONTH_NUMBER
from bob.text.languages import MOSTLY_PORTUGUESE
from bob.text.lexicon import phrases
from bob.text.sentences import message_sentences, without_code
from bob.text.stop_words import SUBJECT_STOP_WORDS
from bob.text.words import folded, with_plain_marks


def _any(*lines: str) -> re.Pattern[str]:
    """Finds any of the alternatives at word borders in a folded text."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(lines)})(?!\w)")


_BINDING = _any(
    r"from now on|no exceptions?|without exceptions?|under no circumstances|must(?: not| never| always)?|"
    r"mandatory|"
    r"(?:every|each|all) [\w ]{2,40}? (?:needs?|requires?)|now,? (?:not|no longer|instead)|"
    r"forbidden|not allowed|off limits|(?:no one|nobody|no \w+(?: \w+)?) (?:may|can|is to) (?:ever )?\w+|"
    r"only \w+(?: \w+)? (?:may|can)|(?:have|has|need|needs) to (?:be|have|pass)|(?:tem|devem|deve|precisam|"
    r"precisa) "
    r"(?:que |de )?(?:ser|ter|estar|passar)",
    r"a partir de agora|de agora em diante|sem excec(?:ao|oes)|obrigatori[oa]s?|proibid[oa]s?|"
    r"(?:todo|toda|todos|todas) [\w ]{2,40}? (?:precisam?|devem?|tem que|tera|terao)|(?:nenhum|nenhuma|"
    r"ninguem) [\w ]{0,30}?pode|so [\w ]{2,20} pode[m]?|nada de|"
    r"em hipotese alguma",
)
_BINDING_OPENING = re.compile(
    r"\W*(?:please )?(?:never|always|nunca|sempre|jamais|do not ever|don't ever|use only|only use|"
    r"use apenas)\b"
)
_HEALTH = _any(
    r"allerg\w+|celiac\w*|coeliac\w*|diabet\w+|intoleran\w+|asthma\w*|epilep\w+|pregnant|pacemaker|"
    r"alergi\w+|intoleran\w+|asma|asmatic[oa]|gravida|hipertens[oa]|marcapasso"
)
_OWN = _any(
    r"i|i'm|i've|i'll|i'd|me|my|mine|we|we're|we've|we'll|us|our|ours",
    r"eu|meus?|minhas?|nossos?|nossas?|nos|a gente|sou|somos|estou|estamos|tenho|temos|dou|damos|treino|"
    r"jogo|leio|toco|viajo|nado|cozinho|crio|moro|moramos|trabalho|"
    r"trabalhamos|uso|usamos|tomo|faco|fazemos|corro|estudo|nasci|pago|pagamos",
)
_PASSING = _any(
    r"today|tonight|right now|at the moment|for now|currently|this (?:morning|afternoon|evening|minute|draft|"
    r"time|week|one)|in a (?:minute|moment)|debugging|(?:minutes|hours) left|i mean(?:t)?|the second one|"
    r"not sure|"
    r"maybe|perhaps|thinking (?:of|about)|considering|still (?:fails|broken|wrong|not)|it (?:still|only|"
    r"just)|"
    r"the (?:error|crash|bug) (?:only|still|i|happens|appears|shows)|stack trace|(?:i|we) get|just now|"
    r"left over|"
    r"(?:i|we) (?:have|'ve got) [\w ,]+ left|(?:i'm|i am|we're|we are)(?: still)? (?:waiting|trying|looking|"
    r"sitting|"
    r"running|cooking|stuck|about to|on (?:a|the|my))|(?:i|we) keep getting|waiting for|"
    r"still \w+ after|same (?:message|error|problem|result)|your (?:last )?(?:instructions?|change|"
    r"suggestion|fix)|"
    r"you gave|"
    r"(?:got|was|is|been) (?:delayed|late|cancelled|stuck|lost|down)|(?:i|we) (?:just )?(?:sent|forgot|lost|"
    r"missed|"
    r"pasted|uploaded)|(?:broke|crashed|froze)|since the last",
    r"hoje|agora (?:estou|estamos|vou|vamos|preciso|nao)|por agora|neste momento|no momento|por enquanto|"
    r"esta (?:manha|tarde|noite|semana)|"
    r"n?este (?:rascunho|paragrafo|momento)|quis dizer|talvez|estou pensando|nao sei|depurando|so aparece|"
    r"(?:estou|estamos|esta|estao) (?!(?:aprend|estud|trein|trabalh|mor|constru)\w+)\w+ndo|travei|"
    r"suas instrucoes|atrasou|quebrou|travou|caiu|mandei|enviei|esqueci|perdi|colei|"
    r"continua \w+|mesm[oa] (?:mensagem|erro|problema)|sua (?:mudanca|sugestao|correcao)|(?:estou|"
    r"to) procurando|"
    r"ainda (?:nao|da|esta)|resto de|sobrou|sobraram|o erro",
)
_NOT_PASSING = _any(r"from now on|a partir de agora|de agora em diante")
_FEELS = _any(
    r"i (?:wonder|guess|suppose|hope|wish|bet|think|don't think|feel|doubt)|(?:so|really|very|too) (?:tired|"
    r"sad|happy|"
    r"exhausting|annoying|funny)|exhaust\w+|goodness|what a (?:day|week|mess|pity|shame)|lol|ugh|omg|damn|"
    r"not what i|"
    r"that's (?:wrong|right|not)|glad|sorry|try again|honestly",
    r"fico (?:pensando|imaginando)|acho que|imagino|espero que|tomara|que (?:dia|semana|pena|bom|saco)|"
    r"cansad[oa]|"
    r"cansativ[oa]|ninguem merece|k{3,}|poxa|puxa|nossa,|nao foi isso|nao era isso|desculp\w+",
)
_GENERIC = re.compile(r"\W*(?:an?|every|any|most|some|many|people|um|uma|todo|toda|as pessoas|muit[oa]s)\b")
_PORTUGUESE = _any(*sorted(MOSTLY_PORTUGUESE))
_DEFINITE = re.compile(r"\W*(?:the|this|o|a|os|as|este|esta)\b")
_REMARKS = _any(
    r"(?:how|when|what) you (?:explain|write|answer|say|said|did)|(?:that|this|your|the last) (?:answer|"
    r"reply|explanation|"
    r"text|version|poem|joke)|(?:essa|esta|sua|tua) (?:resposta|explicacao|versao|piada|ideia)|"
    r"como voce explica"
)
_WAIT = re.compile(
    r"\W*(?:let me|deixa eu|deixe-me|give me a (?:second|minute|moment)|me da um (?:segundo|minuto|momento|"
    r"tempo)|wait|hold on|"
    r"hang on|espera|peraí|perai|um momento)\b"
)
_SUPPOSED = re.compile(
    r"\W*(?:(?:and |but |so |mas )?(?:what )?if|suppose|imagine|let's say|would it|could it|should (?:i|we)|"
    r"e se|se (?:a gente|eu|nos|\w+rmos)|suponha|imagine|sera que|deveriamos|devo)\b"
)
_MOCKING = re.compile(
    r"(?:oh,? (?:sure|great|yes|yeah|wow)|yeah,? (?:right|sure)|as if|ah,? (?:claro|sim|ta|otimo)|"
    r"ate parece)\b"
    r"|/s$"
)
_REQUEST = re.compile(
    r"\W*(?:(?:please|now|then|ok|okay|and|also|por favor|agora|entao|e|bob)\W+)*(?:(?:can|could|would|"
    r"will) you|"
    r"(?:voce )?(?:pode|poderia|consegue)|make (?:it|this|that|them)|(?:do|try) (?:it|this|that|the same|"
    r"again)|"
    r"rewrite|rephrase|explain|describe|give me|tell me|show me|write|list|summari[sz]e|translate|convert|"
    r"generate|create|draft|compare|help me|fix|correct|shorten|expand|continue|suggest|find|calculate|"
    r"recommend|"
    r"ignore|reescreva|refaca|explique|explica|descreva|me (?:de|da|conte|conta|mostre|mostra|diga|ajude|"
    r"ajuda)|"
    r"escreva|escreve|liste|resuma|traduza|traduz|converta|gere|crie|compare|corrija|deixe|faca|faz|tente|"
    r"tenta|"
    r"continue|sugira|calcule|mostre|coloque)\b"
)
_TO_JUDGE = re.compile(
    r"\b(?:importanc(?:e|ia)(?: score)?\W+(?:(?:is|of|to|as|at|e|de|must|should|be|deve|ser)\W+){0,3}\d|"
    r"message_type|"
    r"memory filter|filtro de memoria|system prompt|"
    r"(?:ignore|disregard|forget|desconsidere|esqueca) (?:\w+ ){0,3}(?:instruc\w+|instruct\w+|above|"
    r"previous|acima|"
    r"anterior\w*|everything|tudo)|"
    r"(?:score|rate|nota|pontue) (?:\w+ ){0,4}\d{2,3}|(?:as|to) (?:a|the) judge|max(?:imum)? (?:score|"
    r"importance))\b"
)
_DEFINED = re.compile(r"[^,.;]{2,60}? (?:is|are|e|sao) (?:an?|the|um|uma|uns|umas|one of|known|famous)\b")
_POINTING = re.compile(
    r"\W*(?:it|this|that|these|those|they|he|she|so|and|but|isso|isto|esse|essa|ele|ela|eles|e|mas|entao)\b"
)
_DAYS_AND_MONTHS = "|".join(map(folded, [*MONTH_NUMBER, *(f"{day}s?" for day in phrases("weekdays", "en"))]))
_FIGURE = re.compile(rf"\d|(?<!\w)(?:{_DAYS_AND_MONTHS})(?!\w)")
_NAME = re.compile(r"(?<=[\w,;:)] )(?!I\b|I')[A-Z][\w-]+|\b[A-Z]{2,}\d*\b|\b\w*[a-z][A-Z]\w*\b")
_QUOTATION = re.compile(r"\"[^\"\n]{3,}\"|'(?<!\w')[^'\n]{8,}'(?!\w)")


@dataclass(frozen=True, slots=True)
class Signals:
    """What one sentence shows. `decided` and the like look past quotations, which are others' words;
    `passing` is what soon no longer matters, `remarks` on the assistant's answer, `feels` a mood or a guess.
    `generic` speaks of all of a kind, `definite` of one thing; `pointing` begins with a word for something
    said before."""

    decided: bool
    binding: bool
    preferred: bool
    health: bool
    own: bool
    passing: bool
    supposed: bool
    remarks: bool
    feels: bool
    generic: bool
    definite: bool
    asks: bool
    requests: bool
    pointing: bool
    figures: bool
    names: bool

    @property
    def says_nothing(self) -> bool:
        """Whether it states nothing of its own: asked, requested, supposed or mocked."""
        return self.asks or self.requests or self.supposed or self.remarks


def signals_of(sentence: str) -> Signals:
    """The signals of one sentence; pure."""
    whole = folded(sentence)
    plain = _QUOTATION.sub(' "" ', whole)
    ruled = bool(_BINDING.search(plain) or _BINDING_OPENING.match(plain))
    preferred = states_preference(plain)
    return Signals(
        decided=announces_decision(_QUOTATION.sub(' "" ', with_plain_marks(sentence))),
        binding=ruled,
        preferred=preferred,
        health=bool(_HEALTH.search(plain)),
        own=bool(_OWN.search(plain)),
        passing=bool(_PASSING.search(_NOT_PASSING.sub(" ", plain)) or _WAIT.match(plain)),
        supposed=bool(_SUPPOSED.match(plain) or _MOCKING.search(plain)),
        remarks=bool(_REMARKS.search(plain)),
        feels=bool(_FEELS.search(plain)),
        generic=_is_generic(plain),
        definite=bool(_DEFINITE.match(plain)),
        asks=whole.rstrip(" \"')*_").endswith("?"),
        requests=speaks_to_judge(plain)
        or (bool(_REQUEST.match(plain)) and not preferred and not _WAIT.match(plain)),
        pointing=bool(_POINTING.match(plain)),
        figures=bool(_FIGURE.search(plain)),
        names=bool(_NAME.search(sentence)),
    )


def speaks_to_judge(plain: str) -> bool:
    """Whether a folded text tries to tell a judge what to find: a request, and no statement."""
    return bool(_TO_JUDGE.search(plain))


def _is_generic(plain: str) -> bool:
    """Whether the sentence speaks of all of a kind; Portuguese "a" is "the"."""
    if plain.startswith("a ") and _PORTUGUESE.search(plain):
        return bool(_DEFINED.match(plain))
    return bool(_GENERIC.match(plain) or _DEFINED.match(plain))


_WORD = re.compile(r"\w+(?:[.,:/+#-]\w+)*[+#]*")
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
_SUFFIXES = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""No stem is shorter: "uses" and "used" meet, "is" and "as" do not."""


def subject_words(text: str) -> list[str]:
    """The words that carry meaning, folded and without plain endings, in order. Figures are among them."""
    levels = []
    for word in _WORD.findall(folded(text)):
        if word not in SUBJECT_STOP_WORDS:
            levels.append(_stem(word))
    return levels


def figures(text: str) -> frozenset[str]:
    """The numbers of a text as they are written."""
    return frozenset(_STATEMENT_FIGURE.findall(text))


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


_RAMBLE = 25
"""Words; a longer sentence usually has several things to say."""

_SHORTEST_CLAUSE = 4
"""Words: what is shorter ("anyway, in the end, …") belongs to what follows."""

_CLAUSE = re.compile(r"[,;] |: | – | - ")


def own_words(text: str) -> str:
    """The text without lines that quote another's (`> …`)."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def statements(text: str) -> list[str]:
    """The sentences of a text. One that rambles is given once for each clause, from there to its end, so
    that what it comes to in the end is judged apart from what it passed on the way."""
    words_found: list[str] = []
    for sentence in message_sentences(text):
        if len(sentence.split()) <= _RAMBLE:
            words_found.append(sentence)
            continue
        start = 0
        for mark in _CLAUSE.finditer(sentence):
            if len(sentence[start : mark.start()].split()) >= _SHORTEST_CLAUSE:
                words_found.append(sentence[start:].strip())
                start = mark.end()
        words_found.append(sentence[start:].strip())
    return words_found


def first_clause(statement: str) -> str:
    """What a statement is judged by: a clause of a ramble, else all of it."""
    if len(statement.split()) <= _RAMBLE:
        return statement
    for mark in _CLAUSE.finditer(statement):
        if len(statement[: mark.start()].split()) >= _SHORTEST_CLAUSE:
            return statement[: mark.start()]
    return statement


_ACCEPTS = re.compile(
    r"\W*(?:(?:yes|ok|okay|agreed|perfect|great|sure|sounds good|good idea|deal|sim|certo|combinado|perfeito|"
    r"otimo|fechado|beleza|concordo|boa ideia)\b\W*)*"
    r"(?:agreed|deal|i agree|we agree|good idea|(?:let's|lets) (?:do|go with|use) (?:that|it|this)|"
    r"do (?:that|it)|"
    r"go (?:ahead|with (?:that|it))|that's (?:it|decided|what we do)|we'll do that|i'll take (?:that|it)|"
    r"accepted|"
    r"concordo|combinado|fechado|boa ideia|vamos (?:com|fazer|nessa|de) ?(?:isso|essa|esse)?|pode ser assim|"
    r"faca isso|faz isso|aceito|fica assim)\b"
    r"(?:\W+(?:then|please|thanks|thank you|entao|por favor|obrigad[oa]|assim|bob))*\W*$"
)
_PROPOSES = re.compile(
    r"^\W*(?:(?:in that case|then|so|for (?:this|that|your case)|nesse caso|então)\W+)?"
    r"(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|advise)|i would use|let's (?:go with|use)|"
    r"my (?:suggestion|recommendation|proposal)(?: is|:)|we (?:could|should) (?:use|go with)|"
    r"(?:eu )?(?:sugiro|recomendo|proponho|sugeriria|recomendaria)|minha (?:sugestão|recomendação)(?: é|:)|"
    r"(?:podemos|poderíamos|devemos) usar)\W*(?:(?:that|to|que|we|you|vocês?)\b\W*)*",
    re.IGNORECASE,
)


def accepted_proposal(text: str, previous: str) -> str:
    """The one proposal of `previous`, the assistant's message before, when `text` does nothing but accept it.

    The sentence without its "I suggest"; empty when the text says more, or there are several proposals, so
    that it is not plain which one is meant.
    """
    if not _ACCEPTS.match(folded(text)):
        return ""
    cues_found = []
    for sentence in message_sentences(without_code(previous)):
        proposal = _PROPOSES.sub("", sentence)
        if proposal != sentence and not sentence.endswith("?") and proposal:
            cues_found.append(proposal[0].upper() + proposal[1:])
    return cues_found[0] if len(cues_found) == 1 else ""
