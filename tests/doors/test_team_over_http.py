"""A team's work over HTTP: items, the memory that learns of them, and an assistant's questions (seed 001)."""

import logging

import pytest
from served_team import Person, serving_a_team, until

PROBLEM = "application/problem+json"
ITEMS = {
    "Login button does nothing on iPhone": ("Mobile", "iOS"),
    "Cannot sign in from the Android app": ("Mobile", "Android"),
    "Login screen freezes on iPad": ("Mobile", "iOS"),
    "Payment gateway timed out at checkout": ("Payments", None),
    "Checkout fails when the card payment is confirmed": ("Payments", None),
    "Order twelve chairs for the meeting room": (None, None),
    "Write the travel policy for conferences": (None, None),
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("team")
    address = str(folder / "bob.db")
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres_server").new_database(folder / "cache")
    with serving_a_team(address, folder) as made:
        yield made


@pytest.fixture(scope="module")
def staff(server):
    """An organization with items of several kinds that the memory knows."""
    ana = Person(server, "staff")
    for name in ("Mobile", "Payments"):
        ana.done("POST", "/work/categories", {"name": name})
    ana.done("POST", "/work/fields", {"name": "Platform", "type": "enum", "options": ["iOS", "Android"]})
    for title, (category, platform) in ITEMS.items():
        ana.add(title, category=category, fields={"Platform": platform} if platform else {})
    ana.indexed(len(ITEMS))
    return ana


@pytest.fixture
def ana(server):
    """Somebody of an organization that has nothing yet."""
    return Person(server)


@pytest.fixture
def told(caplog):
    """The lines about the memory of an organization, as they are logged."""
    caplog.set_level(logging.INFO, "bob")

    def lines(person):
        collection = f"org:{person.org_id}"
        logged = [each for each in caplog.records if getattr(each, "collection", None) == collection]
        return [each.getMessage() for each in logged]

    return lines


def test_a_new_item_makes_the_collection_and_is_added(ana, told):
    ana.done("POST", "/work/categories", {"name": "Bug Reports"})
    fields = [("Severity", "enum", ["Critical"]), ("Reproducible", "boolean", []), ("Votes", "number", [])]
    for name, kind, options in fields:
        ana.done("POST", "/work/fields", {"name": name, "type": kind, "options": options})
    made = ana.ask(
        "POST",
        "/work/items",
        {
            "title": "Customer says app is slow on mobile",
            "description": "The dashboard takes more than\nfive seconds to load.",
            "category": "bug reports",
            "priority": "high",
            "fields": {"Votes": 7, "Reproducible": True, "Severity": "critical"},
        },
    )
    assert (made.status_code, made.headers["Location"]) == (201, "/work/items/1")
    assert ana.done("GET", made.headers["Location"]) == made.json()
    until(lambda: len(told(ana)) == 2)
    org = f"org:{ana.org_id}"
    assert told(ana) == [
        f"[RAG] Created collection: {org}",
        f"[RAG] Added resource: workItem:1 to {org}",
    ]
    assert ana.memory_of(1) == {
        "resourceId": "workItem:1",
        "title": "Customer says app is slow on mobile",
        "content": "Work Item: Customer says app is slow on mobile\n\nDescription:\n"
        "The dashboard takes more than\nfive seconds to load.\n\nCategory:\nBug Reports\n\nStatus:\nOPEN\n\n"
        "Priority:\nHIGH\n\nCustom Fields:\n- Severity: Critical\n- Reproducible: Yes",
        "ownerId": org,
        "collectionId": ana.memory_of(1)["collectionId"],
    }


def test_another_description_is_learned(ana, told):
    number = ana.add("Printer on the second floor", description="Paper jam.")
    ana.indexed(number)
    assert ana.search("the coffee machine leaks water") == []
    ana.change(number, description="It is the coffee machine beside it that leaks water.")
    ana.indexed(number, "coffee machine")
    line = f"[RAG] Updated resource: workItem:{number} in org:{ana.org_id}"
    until(lambda: line in told(ana))
    assert ana.search("the coffee machine leaks water") == [number]


def test_what_sql_alone_tells_is_not_learned(ana, told):
    ana.done("POST", "/work/fields", {"name": "Votes", "type": "number"})
    quiet, other = ana.add("Roof leaks"), ana.add("Door squeaks")
    ana.indexed(other)
    before, logged = ana.memory_of(quiet), len(told(ana))
    for change in (
        {"status": "IN_PROGRESS"},
        {"assignee_id": "bea"},
        {"priority": "LOW"},
        {"fields": {"Votes": 3}},
    ):
        ana.change(quiet, **change)
    # The queue is worked through in its order: what comes later is done later.
    ana.change(other, title="Door squeaks loudly")
    ana.indexed(other, "loudly")
    until(lambda: len(told(ana)) > logged)
    assert told(ana)[logged:] == [f"[RAG] Updated resource: workItem:{other} in org:{ana.org_id}"]
    assert ana.memory_of(quiet) == before
    facts = f"SELECT status, assignee_id, priority FROM work_items WHERE id = {quiet}"
    assert ana.sql(facts) == [["IN_PROGRESS", "bea", "LOW"]]


def test_similar_items_are_found_and_others_are_not(staff):
    answer = staff.ask("POST", "/ai/rag-search", {"query": "login issues on mobile", "limit": 5})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json() == {"success": True, "work_item_ids": answer.json()["work_item_ids"]}
    assert sorted(answer.json()["work_item_ids"]) == [1, 2, 3]
    assert staff.search("login issues on mobile", 1) == answer.json()["work_item_ids"][:1]
    assert staff.search("a recipe for pumpkin soup") == []


def test_an_archived_item_is_forgotten_and_one_that_returns_is_found(ana, told):
    number = ana.add("Elevator stops between two floors")
    ana.indexed(number)
    query, org = "the lift gets stuck", f"org:{ana.org_id}"
    assert ana.search(query) == [number]
    assert ana.done("DELETE", f"/work/items/{number}")["status"] == "ARCHIVED"
    assert ana.search(query) == []
    until(lambda: f"[RAG] Deleted resource: workItem:{number} from {org}" in told(ana))
    assert ana.memory_of(number) is None and ana.search(query) == []
    assert ana.done("GET", "/work/items")["items"] == []
    assert [each["id"] for each in ana.done("GET", "/work/items", archived=True)["items"]] == [number]
    ana.change(number, status="OPEN")
    until(lambda: told(ana)[-1] == f"[RAG] Added resource: workItem:{number} to {org}")
    assert ana.search(query) == [number]


def test_history_is_found_by_meaning_and_told_by_sql(staff):
    found = staff.search("payment gateway timeout")
    assert found[0] == 4 and set(found) <= {4, 5}
    listed = ", ".join(map(str, found))
    rows = staff.sql(f"SELECT id, title, status FROM work_items WHERE id IN ({listed}) ORDER BY id")
    assert rows[0] == [4, "Payment gateway timed out at checkout", "OPEN"]
    told = staff.assist("Have we seen payment gateway timeouts before?")
    assert told["success"] and told["work_item_ids"][0] == 4
    assert told["reply"].startswith(("Yes, there are", "Yes, there is")), told["reply"]
    assert "#4 Payment gateway timed out at checkout (OPEN, Payments)" in told["reply"]
    assert [each["tool"] for each in told["steps"]] == ["rag_search", "execute_sql"]
    assert told["written_by"] is None and told["notice"] is None
    assert staff.assist("Have we seen volcanoes before?")["work_item_ids"] == []


def test_a_new_complaint_is_triaged_by_what_is_like_it(staff):
    found = staff.search("checkout broken customer issue")
    listed = ", ".join(map(str, found))
    rows = staff.sql(
        "SELECT c.name, COUNT(*) AS items FROM work_items w JOIN categories c ON c.id = w.category_id"
        f" WHERE w.id IN ({listed}) GROUP BY c.name ORDER BY items DESC"
    )
    assert rows[0][0] == "Payments"
    told = staff.assist("Customer says checkout is broken")
    assert "«Payments»" in told["reply"] and {4, 5} & set(told["work_item_ids"])
    given = {"title": "Login fails on my iPhone"}
    suggested = staff.done("POST", "/work/suggestions", given)
    assert suggested["category"] == "Mobile" and suggested["work_item_ids"]


def test_patterns_are_counted_by_sql(staff):
    found = staff.search("login bugs on mobile", 50)
    listed = ", ".join(map(str, found))
    rows = staff.sql(
        "SELECT value, COUNT(*) AS items FROM custom_field_values WHERE field_name = 'Platform'"
        f" AND work_item_id IN ({listed}) GROUP BY value ORDER BY items DESC, value"
    )
    assert rows == [["iOS", 2], ["Android", 1]]
    told = staff.assist("What patterns do we see in login bugs on mobile?")
    assert "- Platform: iOS in 2 of 3" in told["reply"], told["reply"]
    assert "- Category: Mobile in 3 of" in told["reply"]


def test_the_tools_do_what_their_descriptions_say(staff, server):
    search, sql = staff.done("GET", "/ai/tools")["tools"]
    assert (search["name"], sql["name"]) == ("rag_search", "execute_sql")
    limits = search["parameters"]["properties"]["limit"]
    assert search["parameters"]["required"] == ["query"]
    for limit in (limits["minimum"], limits["default"], limits["maximum"]):
        assert staff.search("login", limit)
    speaks = "PostgreSQL" if "postgresql" in str(server.engine.database) else "SQLite"
    assert speaks in sql["parameters"]["properties"]["sql"]["description"]
    answer = staff.done("POST", "/ai/execute-sql", {"sql": "SELECT COUNT(*) AS items FROM work_items"})
    assert (answer.pop("milliseconds") >= 0) and answer == {
        "success": True,
        "columns": ["items"],
        "rows": [[len(ITEMS)]],
        "truncated": False,
    }


def test_feedback_moves_results_and_silence_is_told(staff):
    query = "trouble with logging in on a phone"
    first, *_ = staff.search(query)
    for user in ("bea", "cem", "dag"):
        body = {"query": query, "work_item_id": first, "helpful": False}
        assert staff.colleague(user, "member").done("POST", "/ai/rag-search/feedback", body) == {
            "success": True
        }
    assert first not in staff.search(query)[:1]
    for _ in range(2):
        assert staff.search("volcano insurance for llamas") == []
    unanswered = staff.done("GET", "/ai/rag-search/unanswered")["unanswered"]
    assert [each["times"] for each in unanswered if "volcano" in each["query"]] == [2]


def test_a_thread_goes_on_for_its_user_alone(staff, server):
    thread = staff.assist("What is the status?", work_item_id=4)["thread_id"]
    again = staff.assist("Customer says checkout is broken", thread_id=thread)
    assert again["thread_id"] == thread and again["work_item_ids"] == [4]
    assert staff.assist("Have we seen login issues before?", thread_id=thread)["work_item_ids"] != [4]
    body = {"query": "login issues on mobile", "thread_id": thread}
    assert staff.done("POST", "/ai/rag-search", body)["work_item_ids"]
    strangers = [staff.colleague("bea"), Person(server, user="ana")]
    for person, name in [*((each, thread) for each in strangers), (staff, "none"), (staff, "a\0b")]:
        for path, more in (("/ai/assist", {"message": "What now?"}), ("/ai/rag-search", {"query": "login"})):
            answer = person.ask("POST", path, {"thread_id": name, **more})
            assert (answer.status_code, answer.json()["detail"]) == (404, "no such thread")


def test_nothing_in_a_request_names_another_organization(staff, ana):
    body = {"query": "login issues on mobile"}
    assert ana.done("POST", "/ai/rag-search", body, org_id="staff")["work_item_ids"] == []
    assert ana.sql("SELECT * FROM work_items") == []
    assert ana.assist("Have we seen login issues before?")["work_item_ids"] == []
    assert ana.ask("GET", "/work/items/1").status_code == 404
    assert ana.ask("GET", "/work/items", org_id="staff").status_code == 400
    for path, given in (
        ("/ai/rag-search", body),
        ("/ai/execute-sql", {"sql": "SELECT 1"}),
        ("/ai/assist", {"message": "What is new?"}),
        ("/work/items", {"title": "A"}),
    ):
        for name in ("org_id", "organization", "user_id"):
            answer = ana.ask("POST", path, given | {name: "staff"})
            assert (answer.status_code, answer.json()["field"]) == (400, name)


BAD = [
    ("POST", "/ai/rag-search", {}, "query", "query is missing"),
    ("POST", "/ai/rag-search", {"query": ""}, "query", "query must be text, and not empty"),
    ("POST", "/ai/rag-search", {"query": " \0 "}, "query", "query must be text, and not empty"),
    ("POST", "/ai/rag-search", {"query": ["a"]}, "query", "query: "),
    ("POST", "/ai/rag-search", {"query": "x" * 2001}, "query", "2,000"),
    *(
        ("POST", "/ai/rag-search", {"query": "a", "limit": limit}, "limit", why)
        for limit, why in (
            (0, "from 1 to 50"),
            (51, "from 1 to 50"),
            (10**30, "from 1 to 50"),
            ("5", "limit: "),
            (True, "limit: "),
            (1.5, "limit: "),
            (None, "limit: "),
        )
    ),
    ("POST", "/ai/rag-search", [], None, "JSON object"),
    ("POST", "/ai/rag-search/feedback", {"query": "a", "work_item_id": 1}, "helpful", "missing"),
    ("GET", "/ai/rag-search/unanswered?at_least=0", None, "at_least", "1 or more"),
    ("POST", "/ai/execute-sql", {"sql": ""}, "sql", "One SELECT"),
    ("POST", "/ai/execute-sql", {"sql": "DELETE FROM work_items"}, "sql", "One SELECT"),
    ("POST", "/ai/execute-sql", {"sql": "SELECT * FROM api_keys"}, "sql", "no view api_keys"),
    ("POST", "/ai/execute-sql", {"sql": "SELECT '\ud800'"}, "sql", "has invalid characters"),
    ("POST", "/ai/assist", {"message": " "}, "message", "message must have 1 to 4000"),
    ("POST", "/ai/assist", {"message": "x" * 4001}, "message", "message must have 1 to 4000"),
    ("POST", "/work/items", {"title": " "}, "title", "title is empty"),
    ("POST", "/work/items", {"title": None}, "title", "title: "),
    ("POST", "/work/items", {"title": "A", "category": "Mobil"}, "category", "did you mean «Mobile»?"),
    ("POST", "/work/items", {"title": "A", "status": "asleep"}, "status", "one of OPEN, IN_PROGRESS"),
    ("POST", "/work/items", {"title": "A", "fields": {"Platform": "TV"}}, "Platform", "none"),
    ("PATCH", "/work/items/1", {"title": None}, "title", "title must be text"),
    ("GET", "/work/items?limit=0", None, "limit", "limit must be from 1 to 1000"),
    ("GET", "/work/items?limit=1001", None, "limit", "limit must be from 1 to 1000"),
    ("GET", "/work/items?limit=many", None, "limit", "limit: "),
    ("GET", "/work/items?after=-1", None, "after", "after must be the number from a page"),
    ("GET", "/work/items?statsu=OPEN", None, "statsu", "unknown field statsu"),
    ("GET", "/work/items?status=asleep", None, "status", "one of OPEN, IN_PROGRESS"),
    ("GET", "/work/items?assignee=%00", None, "assignee", "assignee is empty"),
    ("GET", "/work/items/first", None, "number", "number: "),
    ("GET", "/work/events?limit=0", None, "limit", "limit must be from 1 to 1000"),
    ("POST", "/work/fields", {"name": "Size", "type": "enum"}, "options", "an enum requires options"),
    ("POST", "/work/categories", {"name": "mobile"}, "name", "already"),
]


@pytest.mark.parametrize(("method", "path", "body", "field", "why"), BAD, ids=str)
def test_what_is_wrong_is_told(staff, method, path, body, field, why):
    answer = staff.ask(method, path, body)
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, PROBLEM), answer.text
    problem = answer.json()
    assert why in problem.pop("detail")
    assert problem.pop("field", None) == field
    assert problem.pop("request_id") == answer.headers["X-Request-ID"]
    assert problem == {"type": "about:blank", "title": "Bad Request", "status": 400}


def test_a_body_that_is_no_json_is_told(staff):
    for content in (b'{"query": ', b'{"query": "\xff"}', b""):
        answer = staff.server.http.post("/ai/rag-search", content=content, headers=staff.headers)
        assert (answer.status_code, answer.headers["Content-Type"]) == (400, PROBLEM)
        assert "body" in answer.json()["detail"] and "field" not in answer.json()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        *(("GET", f"/work/items/{number}", None) for number in (99, 0, -1, 2**63)),
        ("PATCH", "/work/items/99", {"title": "A"}),
        ("DELETE", "/work/items/99", None),
        ("GET", "/work/events?item=99", None),
        ("PATCH", "/work/categories/99", {"name": "A"}),
        ("PATCH", "/work/fields/Colour", {"name": "A"}),
        ("POST", "/ai/rag-search/feedback", {"query": "a", "work_item_id": 99, "helpful": True}),
        ("POST", "/ai/rag-search/feedback", {"query": "a", "work_item_id": 2**63, "helpful": True}),
        ("POST", "/ai/assist", {"message": "status?", "work_item_id": 99}),
        ("POST", "/ai/assist", {"message": "status?", "work_item_id": -(2**70)}),
    ],
    ids=str,
)
def test_what_is_not_there_is_not_found(staff, method, path, body):
    answer = staff.ask(method, path, body)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, PROBLEM), answer.text
    assert answer.json()["detail"].startswith("no ")


def test_characters_that_are_none_do_no_harm(ana):
    odd = "\0\ud800a\u202e"
    item = ana.done("POST", "/work/items", {"title": f"Lamp {odd}", "description": odd, "assignee_id": odd})
    assert (item["title"], item["description"]) == ("Lamp a", "a")
    ana.indexed(item["id"])
    assert ana.search(f"Lamp {odd}") == [item["id"]]
    ana.done("POST", "/ai/rag-search/feedback", {"query": odd, "work_item_id": item["id"], "helpful": True})
    thread = ana.assist(f"Have we seen lamps before? {odd}")["thread_id"]
    assert ana.assist(f"And lamps {odd}?", thread_id=thread)["thread_id"] == thread


def test_lists_come_in_pages(staff):
    first = staff.done("GET", "/work/items", limit=3)
    rest = staff.done("GET", "/work/items", limit=50, after=first["next"])
    assert [each["id"] for each in first["items"] + rest["items"]] == list(range(1, len(ITEMS) + 1))
    assert rest["next"] is None
    mobile = staff.done("GET", "/work/items", category="mobile", status="open")["items"]
    assert [each["id"] for each in mobile] == [1, 2, 3]
    events = staff.done("GET", "/work/events", limit=2)
    assert [each["type"] for each in events["events"]] == ["CREATED", "CREATED"]
    assert staff.done("GET", "/work/events", after=events["next"], limit=100)["next"] is None


def operations(server):
    document = Person(server).done("GET", "/openapi.json")
    found = [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path.startswith(("/ai/", "/work/"))
    ]
    assert len(found) > 15
    return document, found


def test_each_route_needs_to_know_who_asks(server):
    for method, path, _ in operations(server)[1]:
        place = path.replace("{number}", "1").replace("{name}", "Platform")
        answer = server.http.request(method, place, json=None if method == "get" else {})
        assert (answer.status_code, answer.headers["Content-Type"]) == (401, PROBLEM), path
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_reader_reads_and_changes_nothing(staff):
    rea = staff.colleague("rea", "reader")
    assert rea.search("login issues on mobile") and rea.sql("SELECT 1") == [[1]]
    assert rea.assist("Have we seen login issues before?")["work_item_ids"]
    for method, path, body in (
        ("POST", "/work/items", {"title": "A"}),
        ("PATCH", "/work/items/1", {"title": "A"}),
        ("DELETE", "/work/items/1", None),
        ("POST", "/ai/rag-search/feedback", {"query": "a", "work_item_id": 1, "helpful": True}),
        ("GET", "/ai/rag-search/unanswered", None),
        ("POST", "/work/categories", {"name": "A"}),
    ):
        answer = rea.ask(method, path, body)
        assert (answer.status_code, answer.headers["Content-Type"]) == (403, PROBLEM), path


def test_routes_are_described_with_what_they_refuse(server):
    document, found = operations(server)
    for method, path, operation in found:
        assert operation["summary"] and operation["description"], path
        responses = operation["responses"]
        assert {"401", "403", "429"} <= set(responses)
        # Of an Idempotency-Key alone.
        assert ("422" in responses) == (method == "post")
        takes = "requestBody" in operation or operation.get("parameters")
        assert ("400" in responses) == bool(takes), path
        assert ("404" in responses) or "{" not in path, path
        for status, answer in responses.items():
            kind = "application/json" if status in ("200", "201") else PROBLEM
            assert kind in answer["content"], (method, path, status)
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["schema"].get("examples"), (path, parameter)
    for name in (
        "RagSearchRequest",
        "FeedbackRequest",
        "SqlRequest",
        "AssistRequest",
        "NewWorkItem",
        "NewField",
    ):
        for field, described in document["components"]["schemas"][name]["properties"].items():
            assert {"description", "examples"} & set(described), (name, field)
    assert document["components"]["schemas"]["Problem"]["required"] == ["type", "title", "status", "detail"]
    assert "HTTPValidationError" not in str(document)
