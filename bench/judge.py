"""How often the judge that needs no language model agrees with labels, and what a message costs it.

    python bench/judge.py [--part dev|held] [--json] [--wrong]

The labelled messages are those of tests/data/memory; each goes through the whole funnel. "Band" is the share
of messages whose importance lies in the labelled band (trivial, temporary, context, critical), "kept" the
share on which it is right to keep a memory or none. What an assistant says is counted apart: a memory rests
on the user's word, so the judge calls all of it trivial whatever its label.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from json_lines import records_in

from bob.conversations.judge import Funnel, RulesJudge, level_of
from bob.conversations.word_lists import FunnelWords
from bob.models.networks import OnnxEmbedder

DATA = Path(__file__).parents[1] / "tests" / "data" / "memory"
SETS = ("messages", "others")

Message = dict[str, Any]

GROUPS: dict[str, Callable[[Message], bool]] = {
    "all": lambda each: True,
    "en": lambda each: each["lang"] == "en",
    "pt": lambda each: each["lang"] == "pt",
    "user": lambda each: each["role"] == "user",
    "user, en": lambda each: each["role"] == "user" and each["lang"] == "en",
    "user, pt": lambda each: each["role"] == "user" and each["lang"] == "pt",
    "assistant": lambda each: each["role"] == "assistant",
}


def main() -> None:
    """Assess the messages and print a row a file, part and group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("dev", "held"), help="one half alone")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--wrong", action="store_true", help="print the messages whose band is missed")
    chosen = parser.parse_args()
    funnel = Funnel(FunnelWords(), RulesJudge(OnnxEmbedder(threads=1)))
    funnel.assess("The first message loads the model.", "user")
    times: list[float] = []
    for name in SETS:
        every = records_in(DATA / f"{name}.jsonl")
        messages = [each for each in every if chosen.part in (None, each["part"])]
        for each in messages:
            began = process_time()
            each["found"] = level_of(funnel.assess(each["text"], each["role"]).importance)
            times.append(1000 * (process_time() - began))
        for part in sorted({each["part"] for each in messages}):
            for group, belongs in GROUPS.items():
                row = _row([each for each in messages if each["part"] == part and belongs(each)])
                _print({"file": name, "part": part, "group": group} | row, as_json=chosen.json)
        for each in messages:
            if chosen.wrong and each["found"] != each["importance"]:
                print(f"  {each['part']} {each['importance']} -> {each['found']}: {each['text']}")
    _print(
        {"cpu_ms_median": round(median(times), 1), "cpu_ms_most": round(max(times), 1)}, as_json=chosen.json
    )


def _row(messages: list[Message]) -> dict[str, float]:
    band = sum(each["found"] == each["importance"] for each in messages)
    kept = sum((each["found"] == "trivial") == (each["importance"] == "trivial") for each in messages)
    count = len(messages)
    return {"n": count, "band": round(band / count, 3), "kept": round(kept / count, 3)}


def _print(row: dict[str, Any], *, as_json: bool) -> None:
    print(json.dumps(row) if as_json else "  ".join(f"{key} {value!s:<9}" for key, value in row.items()))


if __name__ == "__main__":
    main()
