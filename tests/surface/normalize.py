"""Takes out of replies what differs from run to run: times, random ids, folders, last digits of scores."""

import json
import re

TIME = "<time>"
_TIMES = re.compile(
    r"(_at|_ms|_ns|seconds|mtime|from|until|time|timings|(?<!cover)age|ages|now|ended|created|updated|uptime|duration)$"
)
_MOMENT = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d?(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_SPAN = re.compile(r"\b\d+(?:[.,]\d+)? ?(ms|s|min|seconds?|MB|kB|files/s|chunks/s|per second)\b")
_HEX = re.compile(
    r"(?<=-)[0-9a-f]{8}\b|\b(?:[0-9a-f]{16,64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"
)
_SECRET = re.compile(r"\bbobkey\.[\w.-]{20,}|(?<=token=)[\w-]{20,}")
_VERSION = re.compile(r"\b(Python|SQLite|PostgreSQL) \d+(?:\.\d+)+")
_RANDOM = frozenset({"thread_id", "stream", "stream_id", "run", "run_id", "link"})
_FLOAT = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_EPOCH = range(1_600_000_000, 2_600_000_000)


class Normalizer:
    """`places`: texts of this run (folders, today's date, an address) and what stands for each."""

    def __init__(self, places):
        self._places = sorted(places.items(), key=lambda pair: -len(pair[0]))

    def text(self, text):
        text = _SECRET.sub("<secret>", _MOMENT.sub(TIME, text))
        for place, name in self._places:
            text = text.replace(place, name)
        text = _FLOAT.sub(lambda found: f"{float(found[0]):.2f}", text)
        return _VERSION.sub(r"\1 <version>", _SPAN.sub(r"<n> \1", _HEX.sub("<id>", text)))

    def value(self, value, key=""):
        if isinstance(value, dict):
            return {self.text(name): self.value(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each, key) for each in value]
        if key == "state" and value in ("waiting", "running"):  # As quickly as a thread begins.
            return "<under way>"
        if isinstance(value, str):
            return "<id>" if key in _RANDOM and len(value) > 8 else self.text(value)
        if isinstance(value, bool) or value is None:
            return value
        if _TIMES.search(key) or int(value) in _EPOCH:
            return TIME
        if key == "bytes":  # A database's pages differ from one version of SQLite to the next.
            return "<n>"
        return round(value, 2) if isinstance(value, float) else value

    def output(self, text):
        """Text of a command, or its JSON (one document, or one a line), laid out."""
        try:
            return self.laid_out(json.loads(text))
        except ValueError:
            pass
        lines = []
        for line in text.splitlines():
            name, colon, data = line.partition("data: ") if line.startswith("data: ") else ("", "", line)
            try:
                lines.append(name + colon + json.dumps(self.value(json.loads(data)), ensure_ascii=False))
            except ValueError:
                lines.append(self.text(line).rstrip())
        return "\n".join(lines) + "\n" if lines else ""

    def laid_out(self, value):
        return json.dumps(self.value(value), indent=1, ensure_ascii=False) + "\n"
