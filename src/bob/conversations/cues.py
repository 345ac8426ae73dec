"""What a sentence hints at by its words: weaker than `signals`, and only ever weighed together.

No cue decides alone; `bob.conversations.judge` learns what each is worth from labelled sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.text.words import folded

_LONG = 25
"""Words; a sentence of more is as long as one can be."""


def _any(*lines: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(lines)})(?!\w)")


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


def cues_of(sentence: str) -> Iterator[float]:
    """1 for each cue of `CUES` that is there and 0 for each that is not, then the length in words (up to 1),
    and whether it begins with a small letter, exclaims or has a colon."""
    plain = folded(sentence)
    for name, pattern in CUES.items():
        yield float(bool(pattern.match(plain) if name in _AT_START else pattern.search(plain)))
    yield min(len(plain.split()), _LONG) / _LONG
    yield float(sentence[:1].islower())
    yield float(sentence.rstrip().endswith("!"))
    yield float(":" in sentence)
