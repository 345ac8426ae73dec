"""A few decision records of a shop, and how a test fills a memory with them."""

from datetime import date

from small_memory import write_files

TODAY = date(2024, 6, 1)


def record(number, title, dated, status, context, decision, *more):
    sections = "\n\n".join(more)
    return (
        f"---\ndate: {dated}\n---\n# {number}. {title}\n\n## Status\n\n{status}\n\n"
        f"## Context\n\n{context}\n\n## Decision\n\n{decision}\n\n{sections}\n"
    )


RECORDS = {
    "adr/0002-orders-in-mysql.md": record(
        2,
        "Orders in MySQL",
        "2019-05-02",
        "Accepted",
        "The shop needs a database for its orders.",
        "We will keep the orders in a MySQL database that the hosting company runs.",
        "## Rejected alternatives\n\n- MongoDB: orders need transactions over several tables",
    ),
    "adr/0003-mail-by-relay.md": record(
        3,
        "Mail through a relay",
        "2019-06-11",
        "Accepted",
        "Receipts are sent by mail.",
        "We will send receipts through the relay of the hosting company.",
    ),
    "adr/0007-orders-in-postgresql.md": record(
        7,
        "Orders in PostgreSQL",
        "2021-03-04",
        "Accepted\n\nSupersedes [ADR 2](0002-orders-in-mysql.md)",
        "The orders of a day no longer fit the database at the hosting company.",
        "We will keep the orders in a PostgreSQL database on our own servers.",
        "## Rejected alternatives\n\n- CockroachDB: nobody here has run it",
    ),
    "adr/0009-nightly-reports.md": record(
        9,
        "Nightly reports",
        "2022-01-20",
        "Proposed",
        "The accountants want figures every morning.",
        "We will compute the reports of sales every night at two.",
    ),
    "soup.md": "# Leek soup\n\nCook the leeks with three potatoes for twenty minutes, then blend the soup.\n",
}


def shop_in(folder):
    return write_files(folder / "shop", RECORDS)


def by_name(engine):
    with engine.database.read() as connection:
        from bob.decisions import status as decision_status

        return {each.name: each for each in decision_status.every(connection)}
