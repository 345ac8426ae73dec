"""A Portuguese word is found by its singular and by its plural."""

import pytest
from small_memory import write_files

from bob import Bob
from bob.app.settings import Settings
from bob.text.words import stem

PAIRS = [
    ("animal", "animais"),
    ("papel", "papéis"),
    ("lençol", "lençóis"),
    ("fácil", "fáceis"),
    ("nível", "níveis"),
    ("barril", "barris"),
    ("azul", "azuis"),
    ("viagem", "viagens"),
    ("reunião", "reuniões"),
    ("pão", "pães"),
    ("mão", "mãos"),
    ("professor", "professores"),
    ("casa", "casas"),
]


@pytest.mark.parametrize(("one", "several"), PAIRS)
def test_both_have_one_stem(one, several):
    assert stem(one, "pt") == stem(several, "pt")


@pytest.mark.parametrize("word", ["mais", "depois", "dois", "pais", "lápis", "seis", "país"])
def test_what_only_ends_as_a_plural_does_stays(word):
    assert stem(word, "pt") not in {stem(other, "pt") for pair in PAIRS for other in pair}
    assert stem("depois", "pt") != stem("depoil", "pt")


def test_a_search_for_one_finds_several(tmp_path):
    notes = write_files(
        tmp_path / "notes",
        {
            "praia.md": "# Praia\n\nOs cães e outros animais não entram na praia durante o verão.\n",
            "horta.md": "# Horta\n\nA horta é regada todas as manhãs pelos sócios do clube.\n",
        },
    )
    with Bob(settings=Settings(database=str(tmp_path / "bob.db"))) as bob:
        bob.index(notes)
        hits = bob.search("Posso levar um animal?", mode="words")
    assert [hit.chunk.path.rsplit("/", 1)[-1] for hit in hits] == ["praia.md"]
