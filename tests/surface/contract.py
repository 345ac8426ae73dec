"""Compares what a server sends with the OpenAPI document, strictly: a field that the document does not name
is an error, as is one that it names and that is missing."""

import copy
import json
import re

from jsonschema import Draft202012Validator

JSON = "application/json"
EVENTS = "text/event-stream"


class Contract:
    """The schemas of a document, closed to fields that they do not name."""

    def __init__(self, document):
        self.paths = document["paths"]
        self._components = _closed(copy.deepcopy(document["components"]))

    def differences(self, method, path, answer):
        """What of an answer to a request is not as the document says."""
        template = self._template(method, path)
        described = self.paths[template][method.lower()]["responses"].get(str(answer.status_code))
        if described is None:
            return [f"{method} {template}: status {answer.status_code} is not described"]
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if not answer.content:
            return []
        if kind not in described.get("content", {}):
            return [f"{method} {template}: {kind} is not described"]
        schema = described["content"][kind]["schema"]
        if kind == EVENTS:
            errors = [error for event in _events(answer.text) for error in self._event_errors(schema, event)]
        elif kind.endswith("json") and not kind.endswith("ndjson"):
            errors = self._errors(schema, answer.json())
        else:
            return []
        return [f"{method} {template}: {error}" for error in errors]

    def _template(self, method, path):
        """The described path that a request's path is of; one without parameters goes first."""
        fitting = [
            template
            for template, operations in self.paths.items()
            if method.lower() in operations
            and re.fullmatch("[^/]+".join(map(re.escape, re.split(r"{\w+}", template))), path)
        ]
        return min(fitting, key=lambda template: template.count("{"))

    def _errors(self, schema, value):
        validator = Draft202012Validator(schema | {"components": self._components})
        return [
            f"{error.json_path}: {leaf.json_path} {leaf.message}"[:400]
            for error in validator.iter_errors(value)
            for leaf in (error.context or [error])
        ]

    def _event_errors(self, schema, event):
        """Its data is JSON of the shape that goes with its name."""
        name = schema["$ref"].rpartition("/")[2]
        shapes = self._components["schemas"][name]
        choices = shapes.get("oneOf") or [
            choice
            for reference in shapes["anyOf"]
            for choice in self._components["schemas"][reference["$ref"].rpartition("/")[2]]["oneOf"]
        ]
        fitting = [one for one in choices if one["properties"]["event"]["const"] == event["event"]]
        if not fitting:
            return [f"the event {event['event']} is not described"]
        tried = [
            self._errors(one["properties"]["data"]["contentSchema"], json.loads(event["data"]))
            for one in fitting
        ]
        return [] if [] in tried else tried[0]


def _closed(value):
    if isinstance(value, dict):
        if "properties" in value:
            value.setdefault("additionalProperties", False)
        for inner in value.values():
            _closed(inner)
    elif isinstance(value, list):
        for inner in value:
            _closed(inner)
    return value


def _events(text):
    blocks = [block for block in text.split("\n\n") if block.startswith("id: ")]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
