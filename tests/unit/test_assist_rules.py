"""Replies of rules: a tool that failed is told, and never taken for an answer."""

import pytest

from bob.work.assist_rules import AssistRules
from bob.work.assist_values import Step
from bob.work.question import plan_of


@pytest.mark.parametrize("message", ["Have we seen timeouts before?", "What patterns do we see in bugs?"])
@pytest.mark.parametrize("away, told", [("rag_search", "The memory"), ("execute_sql", "The database")])
def test_a_tool_that_fails_does_not_mean_that_there_is_nothing(message, away, told):
    def tool(name, given):
        if name == away:
            return Step(name, given, {"success": False}, "it is busy")
        return Step(name, given, {"success": True, "work_item_ids": [1]})

    rules = AssistRules(tool)
    assert rules.reply(plan_of(message)) == (f"{told} is not available: it is busy", [])
    assert rules.steps[-1].error == "it is busy"


def test_nothing_is_told_only_where_nothing_was_found():
    rules = AssistRules(lambda name, given: Step(name, given, {"success": True, "work_item_ids": []}))
    assert rules.reply(plan_of("Have we seen timeouts before?"))[0].startswith("No similar work items")


def test_the_numbers_that_no_item_has_are_told():
    columns = ["id", "title", "status", "priority", "category", "assignee_id", "created_at"]
    found = {"columns": columns, "rows": [[3, "Roof", "OPEN", None, None, None, 0]]}
    rules = AssistRules(lambda name, given: Step(name, given, {"success": True, **found}))
    assert rules.reply(plan_of("compare #3, #9 and #10")) == (
        "#3 Roof (OPEN)\nNo work item #9, #10.",
        [3],
    )
    cut = AssistRules(lambda name, given: Step(name, given, {"success": True, "truncated": True, **found}))
    reply, _ = cut.reply(plan_of("compare #3, #9 and #10"))
    assert reply.startswith("#3 Roof (OPEN)\nThe database did not give all of it")
