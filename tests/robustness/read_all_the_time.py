"""Searches in a loop until its standard input ends; prints what went wrong and how often it has searched.

Run as a child: `python read_all_the_time.py DATABASE`.
"""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from folder_of_many_kinds import half_documents
from small_memory import engine_over

from bob.models.networks import OnnxEmbedder
from bob.search.query import parse_query

ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
engine = engine_over(sys.argv[1], embedder=OnnxEmbedder(threads=1))
searches = found = 0
# One round more after the end was asked for: what is there then can be seen.
while True:
    last = ended.is_set()
    for wrong in half_documents(sys.argv[1]):
        print("half a document:", wrong)
    for query in ("harbour painted", '"the lantern was" -budget', "type:csv violin"):
        found += len(engine.search.search_chunks(parse_query(query), 10).hits)
        searches += 1
    if last:
        break
    ended.wait(0.1)
engine.close()
print(f"searched {searches} times and found {found}")
