"""A question that goes on from another means what was spoken of there, at every door."""

import httpx
import pytest
from served_memory import served
from small_memory import bob_in, write_files

from bob import Bob
from bob.app import Engine
from bob.app.settings import Settings

RECIPES = {
    "bread.md": "# No-knead bread\n\nThe oven is very hot.\n\nThe dough keeps in the fridge for 48 hours.\n",
    "soup.md": "# Leek soup\n\nThe leeks are cut into rings.\n\nThe soup keeps in the fridge for 3 days.\n",
    "jam.md": "# Plum jam\n\nThe plums are boiled with sugar.\n\nThe jam keeps in the cellar for a year.\n",
}
FIRST, NEXT, SAID = "How is no-knead bread made?", "And how long does it keep in the fridge?", "48 hours"
OTHER, OTHERS = "How is leek soup made?", "3 days"


@pytest.fixture
def recipes(tmp_path):
    return write_files(tmp_path / "recipes", RECIPES)


def test_the_command_goes_on_from_the_last_question(tmp_path, recipes):
    bob = bob_in(tmp_path)
    nothing = bob("ask", "--continue", NEXT)
    assert nothing.returncode == 2 and "ask one first" in nothing.stderr
    bob.json("index", recipes)
    for first, expected in ((FIRST, SAID), (OTHER, OTHERS)):
        bob("ask", first)
        answer = bob.json("ask", "--continue", NEXT)
        assert expected in answer["answer"] and answer["earlier"] == [first]
    spoken = bob("ask", "-c", "And who says so?")
    assert f"After: {OTHER} {NEXT}" in spoken.stdout


def test_python_and_http_are_given_the_questions_before(tmp_path, recipes):
    settings = Settings(database=str(tmp_path / "bob.db"))
    with Bob(settings=settings) as bob:
        bob.index(recipes)
        for first, expected in ((FIRST, SAID), (OTHER, OTHERS)):
            assert expected in bob.ask(NEXT, earlier=[first]).text
    engine = Engine(settings)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        for first, expected in ((FIRST, SAID), (OTHER, OTHERS)):
            answer = client.post("/ask", json={"question": NEXT, "earlier": [first]}).json()
            assert expected in answer["answer"] and answer["earlier"] == [first]
        wrong = client.post("/ask", json={"question": NEXT, "earlier": FIRST})
        assert wrong.status_code == 400 and "earlier" in wrong.text
    engine.close()
