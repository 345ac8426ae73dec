"""Fits the weights by which a candidate is chosen and an answer is given, on questions of `bench/data`.

    python bench/judgement.py build FOLDER [--set everyday] [--set reading]        # all three in one folder
    python tools/fit_answers.py FOLDER WORK

WORK keeps an index of each corpus. Asked are the development parts, and of `reading` what no reader was
trained on. Prints for each set how often the best candidate is gold and how many questions are answered, with
the weights of `bob.answers`, and with such as are fitted without the corpus that is asked; then the weights
that are fitted on all of them, to be put there by hand: first those of `candidates.PROMISE_WEIGHTS` and
`READ_WEIGHTS`, and, when the tool is run again with these, those of `gate`.

A candidate is chosen by a softmax over the candidates of a question (listwise logistic regression). For the
gate a question counts 1 where the best candidate is gold. It counts 0 where it has no answer, and at half the
weight where another candidate is the best: the answer is wrong then, but gold may be quoted beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from asked_questions import AskedQuestion, ask_questions, given_paths, judgement
from logistic import listwise, logistic

from bob.answers import gate
from bob.answers.candidates import PROMISE_WEIGHTS, READ_WEIGHTS, RULES, Candidate
from bob.answers.choose_candidates import chosen
from bob.answers.question import Question
from bob.answers.quote_candidates import state_quantity, that_state
from bob.answers.score_sentences import MOST_UNITS
from bob.app.settings_groups import AnswerSettings

Floats = npt.NDArray[np.float64]

PROMISING = tuple(name for name in PROMISE_WEIGHTS if name not in RULES)
CHOOSING = tuple(name for name in READ_WEIGHTS if name not in RULES)
ANSWERING = tuple(gate._AHEAD_WEIGHTS)
RIDGES = {"choosing": 1.0, "answering": 0.1}
"""The penalties on weights: they hold them where few questions tell."""
SHARE_ANSWERED = 0.15
"""So many of the questions without an answer may be answered; the bias is moved to that."""


def signals_of(candidates: Sequence[Candidate], names: Sequence[str]) -> Floats:
    """The signals of each candidate, of (candidates, signals)."""
    return np.array([[each.signals.get(name, 0.0) for name in names] for each in candidates])


def fit_promise(asked: Sequence[AskedQuestion]) -> Floats:
    """The weights of signals, in the order of PROMISING, by all that may be read."""
    return fit_weights([(each.unread, each.unread_gold) for each in asked], PROMISING)


def fit_choice(asked: Sequence[AskedQuestion]) -> Floats:
    """The weights of signals, in the order of CHOOSING, by what was read."""
    return fit_weights([(each.candidates, each.gold) for each in asked], CHOOSING)


def fit_weights(listed: Sequence[tuple[Sequence[Candidate], Sequence[bool]]], names: Sequence[str]) -> Floats:
    """The weights by which gold is the best of its list, from the lists that have gold and others."""
    usable = [(candidates, gold) for candidates, gold in listed if any(gold) and len(gold) > 1]
    return listwise(
        [signals_of(candidates, names) for candidates, _ in usable],
        [np.array(gold, float) for _, gold in usable],
        RIDGES["choosing"],
    )


def scaled(names: Sequence[str], weights: Floats) -> dict[str, float]:
    """The weights such that what speaks for a candidate is 1 in all."""
    named = dict(zip(names, weights, strict=True))
    total = sum(max(named[name], 0.0) for name in names[: names.index("without_numbers")])
    return {name: round(float(weight / total), 3) for name, weight in named.items()}


def gold_is_read(asked: Sequence[AskedQuestion], weights_without: Callable[[str], Floats | None]) -> str:
    """Of how many questions that have gold some of it is among what promises most; None: as it ships."""
    usable = [each for each in asked if any(each.unread_gold)]
    read = 0
    for each in usable:
        weights = weights_without(each.record["corpus"])
        signals = signals_of(each.unread, PROMISING)
        worths = [one.promise for one in each.unread] if weights is None else signals @ weights
        most = np.argsort(-np.array(worths), kind="stable")[:MOST_UNITS]
        read += any(each.unread_gold[place] for place in most)
    return f"{read} of {len(usable)}"


def first_is_gold(asked: Sequence[AskedQuestion], weights_without: Callable[[str], Floats | None]) -> str:
    """Of how many questions that have gold it is the best candidate; None: as they were asked."""
    usable = [each for each in asked if any(each.gold)]
    right = 0
    for each in usable:
        weights = weights_without(each.record["corpus"])
        right += each.gold[
            0 if weights is None else int((signals_of(each.candidates, CHOOSING) @ weights).argmax())
        ]
    return f"{right} of {len(usable)}"


def evidence(asked: AskedQuestion) -> list[float] | None:
    """The signals of the gate, in the order of ANSWERING; None where too little was found for them."""
    signals = [getattr(asked.evidence, name) for name in ANSWERING]
    return None if any(signal is None for signal in signals) else signals


def fit_gate(asked: Sequence[AskedQuestion]) -> Floats:
    """The weights of signals, in the order of ANSWERING, and, last, the bias."""
    gold = np.array([each.answerable and bool(each.gold[0]) for each in asked])
    answerable = np.array([each.answerable for each in asked])
    design = np.array([evidence(each) for each in asked])
    weights = np.where(answerable & ~gold, 0.5, 1.0)
    slopes, bias = logistic(design, gold, weights, RIDGES["answering"])
    return np.append(slopes, bias)


def scores(asked: Sequence[AskedQuestion], weights: Floats) -> Floats:
    """How far each question is above the threshold, as a logit."""
    return np.array([(*(evidence(each) or ()), 1.0) for each in asked]) @ weights


def lacks_quantity(asked: AskedQuestion) -> bool:
    """Whether it is refused however sure the gate is: it wants a quantity, and none is stated by what is told
    or is nearly as good."""
    question, most = Question(asked.question), AnswerSettings().max_sentences
    if question.quantity is None:
        return False
    if state_quantity(chosen(asked.candidates, most, question.kind), question.quantity):
        return False
    return not chosen(that_state(asked.candidates, question.quantity), most, question.kind)


def threshold(asked: Sequence[AskedQuestion], scored: Floats) -> float:
    """Above it the share of questions without an answer is answered that may be."""
    without = [(each, score) for each, score in zip(asked, scored, strict=True) if not each.answerable]
    answered = sorted((score for each, score in without if not lacks_quantity(each)), reverse=True)
    most = round(SHARE_ANSWERED * len(without))
    return float(np.mean(answered[most - 1 : most + 1]))


def counted(asked: Sequence[AskedQuestion], scored: Floats, above: float) -> str:
    """How many of each kind are answered."""

    def share(kept: Sequence[bool]) -> str:
        answered = sum(score > above for score, keep in zip(scored, kept, strict=True) if keep)
        return f"{answered} of {sum(kept)}"

    gold = share([each.answerable and bool(each.gold[0]) for each in asked])
    other = share([each.answerable and not each.gold[0] for each in asked])
    return f"best is gold {gold}, is another {other}, unanswerable {share([not e.answerable for e in asked])}"


def report(sets: Mapping[str, Sequence[AskedQuestion]]) -> None:
    """Print how well the weights do, and those that are fitted on all sets."""
    every = [each for asked in sets.values() for each in asked]
    corpora = sorted({each.record["corpus"] for each in every})
    others = {name: [each for each in every if each.record["corpus"] != name] for name in corpora}
    promise = {name: fit_promise(asked) for name, asked in others.items()}
    without = {name: fit_choice(asked) for name, asked in others.items()}
    for name, asked in sets.items():
        print(f"{name}: gold is read, as shipped {gold_is_read(asked, lambda _: None)}", end="")
        print(f", fitted without the corpus {gold_is_read(asked, promise.__getitem__)}")
        print(f"{name}: best is gold, as shipped {first_is_gold(asked, lambda _: None)}", end="")
        print(f", fitted without the corpus {first_is_gold(asked, without.__getitem__)}")
    for names, weights in ((PROMISING, fit_promise(every)), (CHOOSING, fit_choice(every))):
        for name, weight in scaled(names, weights).items():
            print(f"  {name}: {weight}")
    judged = {name: [each for each in asked if evidence(each)] for name, asked in sets.items()}
    every = [each for asked in judged.values() for each in asked]
    shipped = np.array([*gate._AHEAD_WEIGHTS.values(), gate._AHEAD_BIAS])
    weights = fit_gate(every)
    weights[-1] -= threshold(every, scores(every, weights))
    gates = {name: fit_gate([each for each in every if each.record["corpus"] != name]) for name in corpora}
    held_out = {
        name: np.concatenate([scores([each], gates[each.record["corpus"]]) for each in asked])
        for name, asked in judged.items()
    }
    above = threshold(every, np.concatenate(list(held_out.values())))
    for name, asked in judged.items():
        print(f"{name}, as shipped: {counted(asked, scores(asked, shipped), 0.0)}")
        print(f"{name}, fitted without the corpus: {counted(asked, held_out[name], above)}")
        print(f"{name}, fitted on all: {counted(asked, scores(asked, weights), 0.0)}")
    for signal, weight in zip((*ANSWERING, "bias"), weights, strict=True):
        print(f"  {signal}: {weight:.2f}")


def main() -> None:
    """Ask, fit and print."""
    folder, work = given_paths(__doc__, "folder", "work")
    parts = {"judgement": "dev", "everyday": "dev", "reading": "fit"}
    report(
        {
            name: [
                asked
                for corpus in judgement.corpora(name)
                for asked in ask_questions(folder, corpus, work, part)
                if asked.candidates
            ]
            for name, part in parts.items()
        }
    )


if __name__ == "__main__":
    main()
