import sysconfig
from pathlib import Path

import pytest

from bob.models.networks import DEFAULT_MODEL
from bob.models.wordpiece import WordPiece
from bob.text.tokens import estimate_tokens

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tokenizer():
    return WordPiece.load(DEFAULT_MODEL / "vocab.txt")


def test_nothing_has_no_tokens():
    assert estimate_tokens("") == 0
    assert estimate_tokens(" \n\t") == 0
    assert estimate_tokens("a") == 1


def test_any_string_has_an_estimate():
    assert estimate_tokens("\ud800 \x00 \x7f \U0010ffff") >= 0


def test_sources_of_python_and_bob(tokenizer):
    """The docstring's band for 98 % of pieces of prose and code, and a mean that is on the safe side."""
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [*sorted(library.glob("[a-h]*.py")), *sorted(REPOSITORY.glob("src/bob/**/*.py"))]
    ratios = sorted(
        estimate_tokens(text[start : start + 900]) / tokenizer.count(text[start : start + 900])
        for text in (path.read_text(encoding="utf-8") for path in files)
        for start in range(0, len(text) - 900, 9000)
    )
    assert len(ratios) > 100
    assert 1.0 < sum(ratios) / len(ratios) < 1.12
    assert ratios[len(ratios) // 100] > 0.75
    assert ratios[-len(ratios) // 100] < 1.3


@pytest.mark.parametrize(
    "text",
    [
        "Привет, как дела сегодня? Надеюсь, всё хорошо.",
        "안녕하세요 저는 한국어를 공부합니다",
        "今日はとても良い天気ですから、公園へ行きましょう。",
        "Ελληνικά κείμενα είναι εδώ",
    ],
)
def test_other_scripts(tokenizer, text):
    assert 0.8 < estimate_tokens(text) / tokenizer.count(text) < 1.5


def test_the_estimate_of_a_whole_is_about_that_of_its_parts():
    text = (REPOSITORY / "src/bob/core/protocols.py").read_text(encoding="utf-8")
    lines = sum(estimate_tokens(line) for line in text.splitlines())
    assert estimate_tokens(text) <= lines <= estimate_tokens(text) + len(text.splitlines())
