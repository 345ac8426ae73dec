"""What a sentence shows of its worth by its words alone, and what the rules make of that.

A signal is what the rules go by: who speaks, what is decided, liked, dated, asked. A cue is weaker and
decides nothing alone: `bob.conversations.judge` learns what each is worth from labelled sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from bob.conversations.stated_values import tells_value
from bob.core.conversation import MessageType
from bob.text.dates import MONTH_NUMBER
from bob.text.languages import MOSTLY_PORTUGUESE
from bob.text.lexicon import phrases, words
from bob.text.sentences import (
    announces_decision,
    message_sentences,
    section_pattern,
    states_preference,
    without_code,
)
from bob.text.words import folded, opening_pattern, with_plain_marks


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
_DEFINED = re.compile(r"[^,.;]{2,60}? (?:is|are|e|sao) (?:an?|the|um|uma|uns|umas|one of|known|famous)\b")
_POINTING = re.compile(
    r"\W*(?:it|this|that|these|those|they|he|she|so|and|but|isso|isto|esse|essa|ele|ela|eles|e|mas|entao)\b"
)
_DAYS_AND_MONTHS = "|".join(
    map(folded, [*MONTH_NUMBER, *(f"{day}s?" for day in phrases("weekdays", "en", "de"))])
)
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

    def has(section: str) -> bool:
        return bool(section_pattern(section).search(plain))

    ruled = bool(_BINDING.search(plain) or _BINDING_OPENING.match(plain)) or has("binding words")
    preferred = states_preference(plain)
    requests = bool(_REQUEST.match(plain)) or has("requests")
    return Signals(
        decided=announces_decision(_QUOTATION.sub(' "" ', with_plain_marks(sentence))),
        binding=ruled,
        preferred=preferred,
        health=bool(_HEALTH.search(plain)) or has("health words"),
        own=bool(_OWN.search(plain)) or has("own words"),
        passing=bool(_PASSING.search(_NOT_PASSING.sub(" ", plain)) or _WAIT.match(plain))
        or has("passing words"),
        supposed=bool(_SUPPOSED.match(plain) or _MOCKING.search(plain)) or has("supposed words"),
        remarks=bool(_REMARKS.search(plain)),
        feels=bool(_FEELS.search(plain)) or has("moods"),
        generic=_is_generic(plain) or has("general words"),
        definite=bool(_DEFINITE.match(plain)),
        asks=whole.rstrip(" \"')*_").endswith("?"),
        requests=speaks_to_judge(plain) or (requests and not preferred and not _WAIT.match(plain)),
        pointing=bool(_POINTING.match(plain)),
        figures=bool(_FIGURE.search(plain)),
        names=bool(_NAME.search(sentence)),
    )


def speaks_to_judge(plain: str) -> bool:
    """Whether a folded text tries to tell a judge what to find: a request, and no statement."""
    return bool(section_pattern("speaks to a judge").search(plain))


def corrects(sentence: str) -> bool:
    """Whether a sentence corrects what was said before, and says what is so instead."""
    plain = folded(sentence)
    strong, weak = _correcting()
    opening = strong.match(plain)
    if opening:
        return len(plain[opening.end() :].split()) >= _SHORTEST_CORRECTION
    return bool(weak.match(plain)) and tells_value(sentence)


@cache
def _correcting() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return opening_pattern(phrases("corrections")), opening_pattern(phrases("signs of a correction"))


def goes_on(sentence: str) -> bool:
    """Whether a sentence begins with a word that goes on from the one before ("Well, …", "They …")."""
    return bool(_going_on().match(folded(sentence)))


@cache
def _going_on() -> re.Pattern[str]:
    return opening_pattern(words("going on"))


def _is_generic(plain: str) -> bool:
    """Whether the sentence speaks of all of a kind; Portuguese "a" is "the"."""
    if plain.startswith("a ") and _PORTUGUESE.search(plain):
        return bool(_DEFINED.match(plain))
    return bool(_GENERIC.match(plain) or _DEFINED.match(plain))


_LONG = 25
"""Words; a sentence of more is as long as one can be."""


def _opens(*lines: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(lines)})(?!\w)")


CUES: dict[str, re.Pattern[str]] = {
    "relative": _any(
        r"(?:m[uo]m|mother|dad|father|gran(?:d?ma|dad|dpa|ny)|grand\w+|sister|brother|son|"
        r"daughter|wife|husband|"
        r"partner|kids?|child(?:ren)?|baby|twins|uncle|aunt|cousin|niece|nephew|youngest|eldest|girlfriend|"
        r"boyfriend)(?:'s)?",
        r"m[ae]e|pai|vov[oa]|avos?|irma(?:o|s|os)?|filh[oa]s?|marido|esposa|mulher|namorad[oa]|tios?|tias?|"
        r"prim[oa]s?|sobrinh[oa]s?|cacula|bebe|gemeos|sogr[oa]",
    ),
    "condition": _any(
        r"allerg\w*|c(?:o)?eliac\w*|gluten|lactose|dairy|diabet\w+|insulin|asthma\w*|inhaler|"
        r"epilep\w+|seizures?|"
        r"pregnan\w+|pacemaker|blood (?:thinners?|pressure)|warfarin|lithium|medication|antibiotics|kidney|"
        r"heart (?:failure|condition|disease)|dementia|alzheimer\w*|autis\w+|adhd|depress\w+|"
        r"cancer|chemo\w*|"
        r"blind|deaf|wheelchair|disab\w+|dyslex\w+|migraines?|surgery|operation|hospital|epipen|"
        r"life threatening|"
        r"recovering|alcoholic|vegan|anaphyla\w+|doctor|hard of hearing|screen reader|peanuts?|shellfish",
        r"alergi\w*|celiac\w*|lactose|diabet\w+|insulina|asma\w*|bombinha|epilep\w+|gravid[ae]\w*|gestante|"
        r"marcapasso|anticoagulante|hipertens\w+|pressao alta|rins?|renal|cardiac\w+|demencia|"
        r"cego|cega|surd[oa]|"
        r"cadeira de rodas|cirurgia|operacao|medico|remedios?|convuls\w+|enxaqueca|cancer|autista|"
        r"intoleran\w+|alcoolatra|vegan[oa]|leitor de tela|amendoim|camarao",
    ),
    "restriction": _any(
        r"(?:can't|cannot|can not|mustn't|may not|must not|isn't allowed to|not allowed|unable)|"
        r"don't work for \w+|"
        r"no \w+(?: \w+)? (?:for|at all|ever|please|may|can)|so no|off the menu|stay away|"
        r"keep away|without any|"
        r"free of|\w+ ?-?free|none of|at most|no more than|bigger than|exceed\w*|limit\w*|"
        r"requirement|required|"
        r"only (?:allowed|at|in|through|via|by|once)|nothing (?:else|is|may)|prohibited|banned|by law",
        r"nao (?:pode|podem|posso|podemos|serve|come|deve|devem)|nada (?:de|com)|zero|"
        r"sem (?!som)\w+|livre de|"
        r"proibi\w+|nenhum\w*|longe de|no maximo|limite|requisito|regra|por lei|de jeito nenhum|"
        r"fora do cardapio",
    ),
    "universal": _any(
        r"all|every\w*|always|ever|never|only|nothing|nobody|no one|none|period|throughout|"
        r"permanent\w*|for good|forever|each|any",
        r"tod[oa]s?|tudo|sempre|nunca|jamais|apenas|nenhum\w*|ninguem|nada|cada|qualquer|definitiv\w+|so",
    ),
    "obliges": _any(
        r"must|has to|have to|needs? to|required?|requires|may (?:only|not)|shall|mandatory|"
        r"has got to|not negotiable|rules?|policy|standard",
        r"tem que|tem de|tem q|deve|devem|precisa|precisam|exige\w*|obrigatori[oa]|ha de|regra|"
        r"norma|padrao",
    ),
    "settled": _any(
        r"decid\w+|decision|agreed|chose\w*|settled|voted|ruled|official\w*|final|signed|"
        r"going with|instead of|"
        r"no longer|not \w+ any ?more|dropped|leaving|replac\w+|is out|over \w+|from (?:now|"
        r"here) on|rather than|go(?:es)? with",
        r"decid\w+|decisao|acertad\w+|fechad[oa]|combinad[oa]|escolh\w+|aprov\w+|vot\w+|"
        r"fica decidido|vai ser|"
        r"agora e|ta fora|em vez de|nao \w+ mais|saimos|oficial|a partir de|de agora|ficou|assinad[oa]",
    ),
    "moment": _any(
        r"now|today|tonight|tomorrow|just|still|yet|brb|until|currently|at the moment|"
        r"for the moment|so far|"
        r"this (?:morning|afternoon|evening|week|minute|time)|on (?:my|the) way|waiting|about to|"
        r"minutes?|halfway|"
        r"right back|be back|in a bit|this once|half an hour|since (?:lunch|this|yesterday)|late|asleep",
        r"agora|hoje|amanha|ja volto|por (?:hora|ora|enquanto)|ainda|daqui a pouco|to (?:no|na|"
        r"com|em|aqui|de)|"
        r"estou (?:no|na|com)|falta\w*|minut\w+|depois|esperando|essa semana|de manha|a tarde|"
        r"de noite|desde|acabou|acabando|ha pouco|neste momento|ja ja|mais tarde|tava|respondo",
    ),
    "clarifies": _any(
        r"i mean\w*|meant|the other (?:one)?|i said|when i (?:say|said)|by \"|refers? to|"
        r"wrong (?:file|one)|"
        r"(?:in|for|only in|for only) this (?:\w+ )?(?:draft|example|exercise|version|paragraph|"
        r"letter|text|sketch)|let's (?:assume|pretend|say)|your (?:first|second|last) (?:\w+)|the (?:first|"
        r"second) (?:one|table|fix)|not \w+ but|ignore that",
        r"quis dizer|eu falei|quando (?:eu )?(?:digo|falei|falo)|nao e ess[ae]|a outra|o outro|me refiro|"
        r"n?(?:esse|este|esta|essa|nesta|nessa|nesse) (?:exercicio|versao|trecho|exemplo|texto|"
        r"paragrafo|rascunho|caso)|a (?:segunda|terceira|primeira)|errado|ignora|vamos supor|considera",
    ),
    "fault": _any(
        r"down|broken?|stuck|jammed|red|fail(?:s|ing|ed)?|out of (?:order|\w+)|crash\w*|slow|"
        r"offline|hangs?|"
        r"same (?:error|thing)|no luck|tried|short|dead|gone|dying|empty|restarting|rebooting|"
        r"closed|battery",
        r"fora do ar|quebr\w+|trav\w+|caiu|caindo|lento|offline|mesmo erro|tentei|sem (?:luz|"
        r"internet|sinal)|vazio|bateria|atrasad[oa]|entupi\w+",
    ),
    "asks": _opens(
        r"(?:and |so |but |wait,? )?(?:how|what|whats|why|who|when|where|which|is|are|can|could|"
        r"does|do|did|should|would|has|have|will|any (?:idea|chance)|ever)",
        r"(?:e |mas )?(?:como|qual|quais|quem|por ?que|quando (?!eu|digo|fal)|quant[oa]s?|onde|"
        r"posso|pode|sera|o que|cade|existe|vc|voce|tem como|da pra)",
    ),
    "wants": _any(
        r"(?:can|could|would) you|help|show me|give me|write|draft|translate|recommend|suggest|"
        r"tell me|explain|"
        r"compare|proofread|summari[sz]e|shorten|convert|turn (?:the|this)|list|i was (?:curious|"
        r"wondering)|would like to know|check|try again|again|think of|idea|exactly|put it",
        r"me (?:ajuda|fala|indica|explica|da|diz|conta|mostra|passa)|escrev[ae]|faz|reescreve|"
        r"revisa|corrig[ei]|"
        r"traduz|queria (?:saber|entender)|curioso|da um exemplo|explica|resumo|como assim|de novo|repete",
    ),
    "reacts": _opens(
        r"thank\w*|thx|ok(?:ay)?|great|lol|(?:ha)+h?|nice|cool|wow|right|sure|yes|yeah|no|fine|"
        r"good|lovely|perfect|interesting|hm+|ugh|oh|my god|happy|enjoy|really|that(?:'s| was| did| fixed|"
        r" explanation)?|your?|you're|it'?s|such|what an?|sorry|see you",
        r"valeu|obrigad[oa]|legal|perfeito|k{2,}|(?:ha)+|entendi|hum+|nossa|que|ai|oi|bom|boa|dia|"
        r"deu|ta|isso|vlw|show|otimo|beleza|ficou|essa",
    ),
    "introduces": _any(
        r"(?:i'?m|i am|my (?:wife|husband|brother|sister|son|daughter) is) (?:an?|the|in|at|doing|"
        r"training|learning)|"
        r"i (?:run|own|teach|work|live|coach|play|study|rent|drive|write|manage|speak|practise|"
        r"sing|plan)|i've been|"
        r"we (?:have|grow|run|own|live|sell|are|want|plan|do|look)|there(?:'s| are) \w+ of us|called|named|"
        r"years? old|every (?:\w+day|other|second|quarter|year|week)|opens|(?:my|our) \w+",
        r"sou|somos|trabalho|estud[oa]|faco|dou aula|temos|tenho|moro|toco|treino|jogo|atendo|"
        r"planta\w*|se chama|"
        r"a gente (?:tem|usa|planta|vende|fala|faz)|em casa|(?:meu|minha|nosso|nossa)s? \w+|anos|"
        r"quero (?:abrir|comprar|mudar)|eu e",
    ),
    "built": _any(
        r"(?:written|built|hosted|deployed|stored|kept|partitioned|owned) (?:in|with|on|at|by|as|"
        r"from)|runs? (?:on|at)|"
        r"sits|behind|talks? to|uses?|backend|frontend|front ?end|api|repo\w*|table|database|"
        r"server|module|service|"
        r"endpoints?|app|schema|deploy\w*|release\w*|backups?|branch\w*|site|code ?base|library|firmware",
        r"escrit[oa] em|feit[oa] em|roda(?:m)?|hospedad[oa]|fica(?:m)? (?:no|na|num|numa|atras)|"
        r"usa|front|banco|"
        r"servidor|modulos?|servicos?|tabelas?|rotas?|sistema|repositorio|codigo|binario|e em|vao pro",
    ),
    "taste": _any(
        r"prefer\w*|(?:i|we) (?:like|love|hate|enjoy)|rather|sooner|favou?rite|can't stand|"
        r"don't care for|for me|"
        r"please|drives? me|keep it|call me|to the point|leave (?:them|it) out|hurt my|that's how i|style",
        r"prefir\w*|gosto|curto|odeio|adoro|detesto|favorit[oa]|me cham[ae]|comigo|"
        r"direto ao ponto|pode falar|(?:pra|para) mim|nao suporto|modo escuro",
    ),
    "plural_kind": re.compile(
        r"(?!(?:this|thus|his|its|yes|us|thanks|always|perhaps|news|as|is|was|does|has|eles|elas|"
        r"nos|mas|os|mais|nossos|nossas|meus|minhas)\b)[a-z]+s (?:\w+ )?(?:are|have|form|train|communicate|"
        r"sao|tem|vivem|[a-z]{2,}(?<!s))\b"
    ),
}
"""Looked for in the folded sentence; those of `_AT_START` at its start only."""

_AT_START = frozenset({"asks", "reacts", "plural_kind"})


def cues_of(sentence: str) -> list[float]:
    """1 for each cue of `CUES` that is there and 0 for each that is not, then the length in words (up to 1),
    and whether it begins with a small letter, exclaims or has a colon."""
    plain = folded(sentence)
    return [
        *(
            float(bool(pattern.match(plain) if name in _AT_START else pattern.search(plain)))
            for name, pattern in CUES.items()
        ),
        min(len(plain.split()), _LONG) / _LONG,
        float(sentence[:1].islower()),
        float(sentence.rstrip().endswith("!")),
        float(":" in sentence),
    ]


# Seed 004's bands: a permanent constraint or an architecture decision is critical (71 to 100), a preference
# or a project's detail context (31 to 70), what passes temporary (1 to 30).
HEALTH, BINDING, DECIDED, CORRECTED, PREFERRED, FACT, PASSING = 92, 85, 80, 62, 60, 50, 15

_SHORTEST_CORRECTION = 3
"""Words behind "correction:" that say what is so."""

_SPECIFIC = 5
"""What a figure or a name adds: such a sentence says more."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What one sentence is worth, 0 to 100, and why; `pointing` when it leans on one before it."""

    importance: int
    message_type: MessageType
    sentence: str
    reason: str
    pointing: bool = False


def worth_of(importance: int, kind: MessageType, sentence: str, reason: str, signals: Signals) -> Worth:
    """A worth with what a figure or a name adds to it."""
    specific = _SPECIFIC if importance >= FACT and (signals.figures or signals.names) else 0
    return Worth(importance + specific, kind, sentence, reason, signals.pointing)


def by_rules(sentence: str, signals: Signals) -> Worth | None:
    """What the rules say of a sentence; None when they are silent."""

    def worth(importance: int, kind: MessageType, reason: str) -> Worth:
        return worth_of(importance, kind, sentence, reason, signals)

    states = not (signals.supposed or signals.requests)
    if signals.asks and signals.own and (signals.figures or signals.passing) and states:
        return worth(PASSING, "chat", "asks about the user's own situation")
    if signals.says_nothing:
        return worth(0, "chat", "asks, requests or supposes")
    if signals.health and signals.own:
        return worth(HEALTH, "fact", "the user's or a relative's health")
    if signals.passing:
        kind: MessageType = "decision" if signals.decided else "chat"
        return worth(PASSING, kind, "soon passes")
    if signals.preferred:
        return worth(PREFERRED, "preference", "a preference")
    if signals.decided:
        return worth(DECIDED, "decision", "a decision")
    if signals.binding:
        return worth(BINDING, "decision", "a binding rule")
    if corrects(sentence):
        return worth(CORRECTED, "fact", "a correction")
    if signals.feels:
        return worth(0, "chat", "a mood or a guess")
    if signals.own:
        return worth(FACT, "fact", "a fact about the user")
    if signals.generic:
        return worth(0, "chat", "general knowledge")
    if signals.figures and (signals.names or signals.definite):
        return worth(FACT, "fact", "a fact with a figure")
    return None


_WANTS = re.compile(r"\W*(?:i|we)(?:'d| would)? (?:need|want|like|have to know)\b")


def tells(text: str) -> bool:
    """Whether the rules find something worth keeping in a message, and no sentence of it asks or wants
    anything. What they are silent about ("hedge cutting rules") may be a question."""
    worth = 0
    for sentence in message_sentences(without_code(text)):
        signals, words = signals_of(sentence), folded(sentence)
        if signals.says_nothing or CUES["asks"].match(words) or _WANTS.match(words):
            return False
        ruled = by_rules(sentence, signals)
        worth = max(worth, 0 if ruled is None else ruled.importance)
    return worth >= FACT
