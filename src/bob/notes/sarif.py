"""Findings as SARIF 2.1.0, the form in which editors and code hosts take in what a linter found.

Source: the OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from bob.notes.lint_rule import Finding, Replacement, Rule

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_DOCUMENTATION = "https://github.com/boring-organizer-bot/bob/blob/main/docs/reference/lint.md"


def sarif_log(
    files: Iterable[tuple[str, Sequence[Finding]]],
    unreadable: Iterable[tuple[str, str]],
    rules: Sequence[Rule],
    folder: Path,
    version: str,
) -> dict[str, Any]:
    """One run as SARIF; paths below `folder` are written relative to it, as code hosts want them."""
    index = {rule.rule_id: index for index, rule in enumerate(rules)}
    results = [
        result for path, findings in files for result in _results(_address(path, folder), findings, index)
    ]
    notifications = [
        {
            "level": "error",
            "message": {"text": f"{path}: {reason}"},
            "locations": [_location(_address(path, folder))],
        }
        for path, reason in unreadable
    ]
    driver = {
        "name": "bob lint",
        "version": version,
        "informationUri": _DOCUMENTATION,
        "rules": [_descriptor(rule) for rule in rules],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    "%SRCROOT%": {"description": {"text": "The folder in which bob lint ran."}}
                },
                "invocations": [
                    {
                        "executionSuccessful": not notifications,
                        "toolExecutionNotifications": notifications,
                    }
                ],
                "results": results,
            }
        ],
    }


def _descriptor(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.rule_id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": f"{rule.what} {rule.why}"},
        "help": {"text": rule.remedy},
        "helpUri": f"{_DOCUMENTATION}#{rule.rule_id.lower()}-{rule.name}",
        "defaultConfiguration": {"level": rule.severity},
    }


def _results(
    address: dict[str, str], findings: Sequence[Finding], index: dict[str, int]
) -> Iterable[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding in findings:
        region = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
        # Lines move; what was found, and the how manieth of its like it is, stays.
        fingerprint = f"{finding.rule.rule_id}\n{address['uri']}\n{finding.message}"
        seen[fingerprint] += 1
        digest = hashlib.sha256(f"{fingerprint}\n{seen[fingerprint]}".encode()).hexdigest()
        result: dict[str, Any] = {
            "ruleId": finding.rule.rule_id,
            "ruleIndex": index[finding.rule.rule_id],
            "level": finding.rule.severity,
            "message": {"text": finding.message},
            "locations": [_location(address, region)],
            "partialFingerprints": {"finding/v1": digest},
        }
        if finding.replacement is not None:
            result["fixes"] = [_fix(address, finding.replacement, finding.rule)]
        yield result


def _fix(address: dict[str, str], replacement: Replacement, rule: Rule) -> dict[str, Any]:
    length = replacement.end - replacement.start
    change = {
        "deletedRegion": {"charOffset": replacement.start, "charLength": length},
        "insertedContent": {"text": replacement.text},
    }
    return {
        "description": {"text": rule.remedy},
        "artifactChanges": [{"artifactLocation": address, "replacements": [change]}],
    }


def _location(address: dict[str, str], region: dict[str, int] | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": address}
    return {"physicalLocation": physical | ({"region": region} if region else {})}


def _address(path: str, folder: Path) -> dict[str, str]:
    if not PurePath(path).is_absolute():
        return {"uri": quote(PurePath(path).as_posix()), "uriBaseId": "%SRCROOT%"}
    if Path(path).is_relative_to(folder):
        return {"uri": quote(Path(path).relative_to(folder).as_posix()), "uriBaseId": "%SRCROOT%"}
    return {"uri": Path(path).as_uri()}
