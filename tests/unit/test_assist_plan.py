"""What a question about work wants, read by rules."""

import pytest

from bob.work.question import plan_of

HISTORY = {
    "Have we seen payment gateway timeouts before?": "payment gateway timeouts",
    "have we ever had an outage of the mail server": "outage of the mail server",
    "Did we fix slow dashboards already?": "slow dashboards",
    "Has anyone seen login loops?": "login loops",
    "Find similar incidents to the checkout crash": "incidents to the checkout crash",
    "Já vimos erros de pagamento antes?": "erros de pagamento",
}
PATTERNS = {
    "What patterns do we see in mobile bugs?": "mobile bugs",
    "Which trends do you see across refunds?": "refunds",
    "Any common causes of failed logins?": "failed logins",
    "Que padrões temos nos erros de login?": "temos nos erros de login",
}
TRIAGE = {
    "issue 404 errors on the checkout page": "issue 404 errors on the checkout page",
    "Customer says checkout is broken": "checkout is broken",
    "A user reported that the app is slow on mobile.": "app is slow on mobile",
    "checkout is broken": "checkout is broken",
}
ITEMS = {
    "What is the status of #45?": (45,),
    "Who owns work item 7 and item 8?": (7, 8),
    "compare #3, #3 and #9": (3, 9),
    "What became of issue 12?": (12,),
    "compare ticket 3 and issue 4, please": (3, 4),
}


@pytest.mark.parametrize(
    ("message", "pattern", "query"),
    [
        (message, pattern, query)
        for pattern, table in (("history", HISTORY), ("patterns", PATTERNS), ("triage", TRIAGE))
        for message, query in table.items()
    ],
)
def test_the_pattern_and_what_to_look_for(message, pattern, query):
    plan = plan_of(message)
    assert (plan.pattern, plan.query, plan.work_item_ids) == (pattern, query, ())


@pytest.mark.parametrize(("message", "numbers"), ITEMS.items())
def test_named_items_are_what_the_question_is_about(message, numbers):
    plan = plan_of(message)
    assert (plan.pattern, plan.work_item_ids) == ("items", numbers)


@pytest.mark.parametrize(
    "message", ["?", "...", "before?", "Have we seen before?", "What patterns do we see?"]
)
def test_a_question_of_nothing_but_asking_still_looks_for_something(message):
    assert plan_of(message).query or not message.strip("?!. ")
