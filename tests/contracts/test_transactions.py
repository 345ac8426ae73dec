"""What every transaction does, on either engine."""

import pytest


def test_a_statement_that_does_not_name_its_organization_is_refused(database):
    with database.write() as transaction:
        for statement in ("SELECT document_id FROM documents", "DELETE FROM documents -- org"):
            with pytest.raises(ValueError, match="of which organization"):
                transaction.execute(statement)
            with pytest.raises(ValueError, match="of which organization"):
                transaction.execute_many(statement, [{}])


def test_a_list_is_a_value_and_the_organization_is_given(database):
    with database.read() as transaction:
        statement = "SELECT :org WHERE 2 IN :numbers AND 3 NOT IN :numbers"
        assert transaction.execute(statement, {"numbers": [1, 2]}).fetchone() == (database.org_id,)
