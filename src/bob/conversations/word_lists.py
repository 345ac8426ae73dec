"""The word lists of the funnel's first two layers, as they are shipped: English and Portuguese."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_TALK = (
    *(
        "hi",
        "hello",
        "hey",
        "hello there",
        "hi there",
        "hi bob",
        "hello bob",
        "good morning",
        "good afternoon",
    ),
    *(
        "good evening",
        "good night",
        "how are you",
        "how are you today",
        "how are you doing",
        "how is it going",
    ),
    *("how's it going", "what's up", "did you sleep well", "nice to meet you", "have a nice day", "bye"),
    *("good bye", "goodbye", "see you", "see you later", "see you tomorrow", "talk to you later"),
    *(
        "talk to you tomorrow",
        "thanks",
        "thanks a lot",
        "thank you",
        "thank you so much",
        "thank you very much",
    ),
    *("many thanks", "cheers", "that was very helpful", "that was helpful", "that helps", "very helpful"),
    *("you're welcome", "no problem", "no worries", "ok", "okay", "sure", "yes", "no", "yep", "nope", "yeah"),
    *(
        "please",
        "sounds good",
        "looks good",
        "got it",
        "i see",
        "makes sense",
        "perfect",
        "great",
        "cool",
        "nice",
    ),
    *(
        "nice one",
        "awesome",
        "well done",
        "good job",
        "wow",
        "lol",
        "all right",
        "alright",
        "of course",
        "exactly",
    ),
    *("oi", "olá", "oi bob", "olá bob", "bom dia", "boa tarde", "boa noite", "tudo bem", "tudo bom", "e aí"),
    *(
        "como vai",
        "como vai você",
        "como você está",
        "até logo",
        "até amanhã",
        "até mais",
        "tchau",
        "obrigado",
    ),
    *("obrigada", "muito obrigado", "muito obrigada", "obrigado pela ajuda", "obrigada pela ajuda", "valeu"),
    *(
        "valeu mesmo",
        "pela ajuda",
        "de nada",
        "imagina",
        "beleza",
        "blz",
        "sim",
        "não",
        "por favor",
        "perfeito",
    ),
    *(
        "perfeita",
        "ótimo",
        "ótima",
        "legal",
        "show",
        "certo",
        "entendi",
        "claro",
        "com certeza",
        "boa",
        "adorei",
    ),
    *("muito bem", "faz sentido", "combinado", "isso mesmo", "nossa"),
)
"""A message of these alone says nothing; one word more, such as a name, is forgiven."""

LOOKUPS = (
    *("what is", "what's", "whats", "what are", "what was", "what were", "what does", "what do you call"),
    *("who is", "who's", "who was", "who are", "where is", "when is", "when was", "define", "meaning of"),
    *("the meaning of", "how do you say", "how do i say", "how do you spell", "what time is it"),
    *(
        "o que é",
        "o que são",
        "o que significa",
        "o que quer dizer",
        "o que foi",
        "qual é",
        "qual a",
        "qual o",
    ),
    *("quais são", "quem é", "quem foi", "quem são", "onde fica", "quando é", "quando foi", "defina"),
    *("significado de", "como se diz", "como se escreve", "como se fala", "que horas são"),
)
"""How a question begins that a search engine would answer, or that only asks for what is already known."""

TRANSLATIONS = (
    *("translate", "can you translate", "could you translate", "please translate"),
    *("traduza", "traduz", "traduzir", "pode traduzir", "você pode traduzir", "traduza pra mim"),
)
"""How a request begins that has its material behind it: nothing in the rest is the user's own word."""

GOLD = (
    *("my project", "our project", "my app", "our app", "my company", "our company", "my team", "our team"),
    *(
        "architecture",
        "stack",
        "i decided",
        "i have decided",
        "i've decided",
        "we decided",
        "we have decided",
    ),
    *("we've decided", "we had decided", "we agreed", "i chose", "we chose", "i prefer", "we prefer"),
    *("my preference", "i use", "we use", "we will use", "we'll use", "we moved to", "we switched to"),
    *(
        "we migrated to",
        "always use",
        "never use",
        "from now on",
        "remember that",
        "for the record",
        "deadline",
    ),
    *(
        "requirement",
        "constraint",
        "convention",
        "allergic",
        "allergy",
        "my name is",
        "i live in",
        "i work as",
    ),
    *("i work at", "i work for", "we no longer", "our team will"),
    *("meu projeto", "nosso projeto", "meu app", "nosso app", "minha empresa", "nossa empresa", "meu time"),
    *(
        "nosso time",
        "minha equipe",
        "nossa equipe",
        "arquitetura",
        "decidi",
        "decidimos",
        "tínhamos decidido",
    ),
    *(
        "combinamos",
        "concordamos",
        "escolhi",
        "escolhemos",
        "prefiro",
        "preferimos",
        "minha preferência",
        "eu uso",
    ),
    *("usamos", "vamos usar", "mudamos para", "trocamos para", "migramos para", "sempre use", "nunca use"),
    *(
        "a partir de agora",
        "de agora em diante",
        "lembre-se",
        "lembre que",
        "lembra que",
        "anota aí",
        "prazo",
    ),
    *("requisito", "restrição", "convenção", "alergia", "alérgico", "alérgica", "meu nome é", "me chamo"),
    *("moro em", "trabalho como", "trabalho na", "trabalho no", "não usamos mais"),
)
"""Words that promise lasting value (seed 004): a message with one of them is always judged."""


@dataclass(frozen=True, slots=True)
class FunnelWords:
    """What the first two layers look for; see `bob.app.settings.MemorySettings`. `min_characters` counts code
    points of the stripped text."""

    min_characters: int = 10
    small_talk: tuple[str, ...] = SMALL_TALK
    lookups: tuple[str, ...] = LOOKUPS
    translations: tuple[str, ...] = TRANSLATIONS
    gold: tuple[str, ...] = GOLD
