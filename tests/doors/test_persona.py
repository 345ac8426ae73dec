"""`bob persona` from folders to an exit code: the real command, and a model's server on loopback."""

import pytest
from model_server import ModelServer, answer
from small_memory import bob_in, write_files

CORPUS = """## Storms

<!-- facet: confidence -->

She knows every storm by its sound and sleeps through the loudest of them.

## Letters never sent

<!-- facet: doubt -->

She writes long letters to her sister, and is too ashamed and afraid of an answer to send any of them.
"""
QUESTION = "Why are you afraid to send letters to your sister?"


@pytest.fixture(scope="module")
def keeper(tmp_path_factory):
    bob = bob_in(tmp_path_factory.mktemp("persona") / "home")
    write_files(
        bob.home / ".local" / "share" / "bob" / "personas",
        {
            "keeper/corpus.md": CORPUS,
            "keeper/voice.md": "Short sentences. Weather first.",
            "mute/voice.md": "Hm.",
            "not-one/readme.txt": "nothing",
        },
    )
    write_files(bob.home / "elsewhere", {"corpus.md": CORPUS})
    return bob


def test_personas_are_listed_and_shown(keeper):
    assert keeper("persona", "list").stdout == "keeper\nmute  no corpus.md\n"
    listed = keeper.json("persona", "list")
    assert [(each["name"], each["corpus.md"], each["voice.md"]) for each in listed] == [
        ("keeper", True, True),
        ("mute", False, True),
    ]
    shown = keeper("persona", "show", "keeper").stdout
    assert "Weather first." in shown and "Letters never sent  (doubt)" in shown
    told = keeper.json("persona", "show", "keeper")
    assert [each["facet"] for each in told["parts"]] == ["confidence", "doubt"]
    assert not (keeper.home / ".local/share/bob/personas/keeper/corpus.embeddings.json").exists()
    assert not keeper.database.exists(), "a persona needs no index"
    empty = keeper("persona", "list", BOB_PERSONA__FOLDER="nowhere")
    assert (empty.returncode, empty.stdout) == (0, "No personas in nowhere yet.\n")


def test_without_a_model_an_interview_is_a_brief(keeper):
    done = keeper("persona", "interview", "keeper", *QUESTION.split())
    assert done.returncode == 0, done.stderr
    assert "Weather first." in done.stdout and "This is a brief" in done.stdout
    assert "[1] .local/share/bob/personas/keeper/corpus.md:7-11  Letters never sent  cosine 0." in done.stdout
    told = keeper.json("persona", "interview", "keeper", QUESTION)
    assert told["answer"] is None and told["question"] == QUESTION
    (first, *_) = told["passages"]
    assert (first["heading_path"], first["start_line"], first["end_line"]) == (["Letters never sent"], 7, 11)
    assert 0.3 < first["cosine"] < 1 and first["text"].endswith("to send any of them.")


def test_with_a_model_an_interview_is_an_answer(keeper):
    server = ModelServer()
    try:
        model = {
            "BOB_LLM__PROVIDER": "openai",
            "BOB_LLM__MODEL": "small",
            "BOB_LLM__BASE_URL": server.url,
            "BOB_LLM__API_KEY": "sk-secret",
        }
        server.script = [answer("openai", ["Fog ", "today."]), answer("openai", ["1. Why fog?\n"])]
        done = keeper("persona", "interview", "./elsewhere", QUESTION, **model)
        assert done.returncode == 0, done.stderr
        assert "Fog today." in done.stdout and "voice.md is missing" in done.stdout
        assert "an imitation, not a quotation" in done.stdout and "Letters never sent" in done.stdout
        asked = keeper.json("persona", "questions", "keeper", "-t", "letters to her sister", **model)
        assert (asked["questions"], asked["written_by"]) == (["Why fog?"], "openai:small")
        assert "Letters never sent" in str(server.requests[0].body["messages"])
    finally:
        server.close()


def test_questions_and_a_report_need_no_model(keeper):
    done = keeper("persona", "questions", "keeper", "--topic", "letters to her sister")
    assert done.stdout.startswith("1. What about «Letters never sent» do you still not trust in yourself?\n")
    nothing = keeper("persona", "questions", "keeper", "--topic", "football")
    assert nothing.returncode == 1 and "similar enough to «football»" in nothing.stdout
    first, again = (keeper("persona", "report", "keeper") for _ in range(2))
    assert first.stdout == again.stdout and "covered     2 of 2 facets (100%)" in first.stdout
    told = keeper.json("persona", "report", "keeper")
    assert told["coverage"] == 1 and told["balance"]["doubt_in_corpus"] == 0.5 and told["unreached"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nobody"], "no persona 'nobody'; personas in "),
        (["report", "nobody"], "/personas: keeper, mute."),
        (["show", "./nowhere"], "no persona './nowhere'"),
        (["show", ""], "no persona ''"),
        (["interview", "mute", "Why?"], "personas/mute: corpus.md is missing"),
        (["interview", "keeper", ""], "the question is empty"),
        (["interview", "keeper"], "Missing argument"),
        (["questions", "keeper", "--topic", " "], "a topic is empty"),
    ],
)
def test_mistakes_are_told(keeper, arguments, said):
    done = keeper("persona", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
