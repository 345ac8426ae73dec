"""Reads an assistant's SQL before a database does: one SELECT over the views, and nothing else (SPEC K6).

What is handed on is written anew from what was read, without comments: a database then runs what was judged,
also where it would have read the text in another way. This wall and the database's own (ADR 20) know nothing
of each other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

from bob.core.errors import RequestError
from bob.core.sql import VIEWS, views_in_words
from bob.core.storable import is_storable

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Limit, Query, Table
    from sqlglot.tokenizer_core import TokenType

MOST_CHARACTERS = 8_000
MOST_TOKENS = 2_000
MOST_NODES = 3_000
MOST_DEPTH = 50
"""How deep brackets may be nested. The tree may be some levels deeper for each of them."""
_LEVELS_A_BRACKET = 4
MOST_WAITING_JOINS = 6
"""Joins whose conditions come later: each doubles the time that reading them takes."""

_QUERY = """Select Union Except Intersect Subquery With CTE From Join Where Group Having Order Ordered
    Limit Offset Distinct Table TableAlias Alias Column Identifier Star Paren Tuple Literal Boolean Null
    Var"""
_OPERATORS = """And Or Not EQ NEQ GT GTE LT LTE Is Like ILike Glob Escape Between In Exists NullSafeEQ
    NullSafeNEQ Add Sub Mul Div IntDiv Mod Neg DPipe Case If Cast DataType DataTypeParam Interval
    AtTimeZone JSONExtract JSONExtractScalar JSONPath JSONPathRoot JSONPathKey JSONPathSubscript"""
_WINDOWS = """Window WindowSpec Filter WithinGroup RowNumber Rank DenseRank PercentRank CumeDist Ntile
    Lag Lead FirstValue LastValue NthValue"""
_FUNCTIONS = """Abs Avg Ceil Coalesce Count Floor Greatest GroupConcat Least Length Lower Max Min Nullif
    Pow Replace Round Sign Sqrt StrPosition Substring Sum Trim Upper CurrentDate CurrentTimestamp
    CurrentTime"""
_OF_POSTGRES = """RegexpLike RegexpILike ArrayAgg LogicalAnd LogicalOr Stddev StddevSamp StddevPop
    Variance VariancePop PercentileCont PercentileDisc Mode Corr TimestampTrunc Extract TimeToStr
    StrToDate StrToTime UnixToTime SplitPart Left Right Concat ConcatWs StartsWith Initcap Log Ln Exp
    Trunc WidthBucket"""
_OF_SQLITE = "Date Datetime Time TimeToStr TsOrDsToTimestamp Format"

_READ_AS = {
    dialect: frozenset(f"{_QUERY} {_OPERATORS} {_WINDOWS} {_FUNCTIONS} {more}".split())
    for dialect, more in (("postgres", _OF_POSTGRES), ("sqlite", _OF_SQLITE))
}
"""What a question may be made of, as sqlglot calls it. Whatever is not named here is refused."""

_FURTHER_FUNCTIONS = {
    "postgres": frozenset({"age", "every", "make_date"}),
    "sqlite": frozenset({"datetime", "julianday", "printf", "time", "total", "unixepoch"}),
}
"""Functions that sqlglot knows by no name of its own."""

_TYPES = """TINYINT SMALLINT INT BIGINT DECIMAL FLOAT DOUBLE TEXT VARCHAR CHAR BOOLEAN DATE TIME
    TIMESTAMP TIMESTAMPTZ DATETIME INTERVAL JSON JSONB"""

_ALLOWED = f"One SELECT is allowed, over these views: {views_in_words()}"


def guarded(sql: str, dialect: str, most_rows: int) -> str:
    """The question as it may be asked, with at most `most_rows` rows.

    `dialect` is "sqlite" or "postgres".

    >>> guarded("select title from work_items; -- all of them", "sqlite", 100)
    'SELECT title FROM work_items LIMIT 100'

    Raises:
        RequestError: it is no SELECT, or asks for what is not allowed; the message says what is.
    """
    from sqlglot.errors import SqlglotError

    if len(sql) > MOST_CHARACTERS:
        _refuse(f"a question can have at most {MOST_CHARACTERS} characters")
    if not is_storable(sql):
        _refuse("the question has invalid characters")
    try:
        query = _read(sql, dialect)
        for node in query.walk():
            _check(node, dialect)
        _limit(query, most_rows)
        return _written(query, dialect)
    except SqlglotError as error:
        _refuse(f"invalid SQL ({_reason(error)}). {_ALLOWED}")
    except RecursionError:
        _refuse("the SQL is nested too deeply")


def _read(sql: str, dialect: str) -> Query:
    import sqlglot
    from sqlglot import expressions as exp
    from sqlglot.errors import ErrorLevel
    from sqlglot.tokenizer_core import TokenType

    tokens = sqlglot.tokenize(sql, read=dialect)
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    kinds = [token.token_type for token in tokens]
    # Looked at before the parser does, which writes statements of other kinds into a log.
    if not kinds or kinds[0] not in {TokenType.SELECT, TokenType.WITH} or TokenType.SEMICOLON in kinds:
        _refuse(_ALLOWED)
    depth = deepest = 0
    for kind in kinds:
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(kind, 0)
        deepest = max(deepest, depth)
    if _waiting_joins(kinds) > MOST_WAITING_JOINS:
        _refuse("the condition of each join must follow it directly")
    if len(tokens) > MOST_TOKENS or deepest > MOST_DEPTH:
        _refuse("the SQL is too long or nested too deeply")
    statements = [
        statement for statement in sqlglot.parse(sql, read=dialect, error_level=ErrorLevel.RAISE) if statement
    ]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        _refuse(_ALLOWED)
    query = statements[0]
    if not query.selects:
        _refuse("the SELECT names no column")
    if sum(1 for _ in query.walk()) > MOST_NODES:
        _refuse("the SQL is too long")
    if max(node.depth for node in query.walk()) > MOST_DEPTH * _LEVELS_A_BRACKET:
        _refuse("the SQL is nested too deeply")
    return query


def _waiting_joins(kinds: list[TokenType]) -> int:
    """How many joins wait for their condition at a time, at most."""
    from sqlglot.tokenizer_core import TokenType

    waiting = most = 0
    for before, kind in pairwise([None, *kinds]):
        if kind == TokenType.JOIN and before not in {TokenType.CROSS, TokenType.NATURAL}:
            waiting += 1
        elif kind in {TokenType.ON, TokenType.USING}:
            waiting = max(waiting - 1, 0)
        most = max(most, waiting)
    return most


def _check(node: Expr, dialect: str) -> None:
    from sqlglot import expressions as exp

    kind = type(node).__name__
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        if name not in _FURTHER_FUNCTIONS[dialect]:
            _refuse(f"the function {name[:60]} is not allowed. {_ALLOWED}")
    elif kind not in _READ_AS[dialect]:
        what = f"the function {node.sql_name().lower()}" if isinstance(node, exp.Func) else kind.upper()
        _refuse(f"{what} is not allowed. {_ALLOWED}")
    elif isinstance(node, exp.Table):
        _check_table(node, dialect)
    elif isinstance(node, exp.Column):
        if node.args.get("db") or node.args.get("catalog"):
            _refuse(f"name a column as VIEW.COLUMN, without a schema. {_ALLOWED}")
    elif isinstance(node, exp.DataType) and (node.this.name not in _TYPES.split() or node.args.get("kind")):
        _refuse(f"casts are allowed only to these types: {', '.join(_TYPES.split())}")
    elif isinstance(node, exp.CTE) and not isinstance(node.this, exp.Query):
        _refuse(_ALLOWED)


def _check_table(table: Table, dialect: str) -> None:
    from sqlglot import expressions as exp

    plain = (
        isinstance(table.this, exp.Identifier) and not table.args.get("db") and not table.args.get("catalog")
    )
    if not plain or any(table.args.get(key) for key in ("only", "indexed", "when", "version", "rows_from")):
        _refuse(f"name a view without a schema. {_ALLOWED}")
    name = _folded(table.this, dialect)
    if name not in VIEWS and name not in _named_before(table, dialect):
        _refuse(f"no view {name[:60]}. {_ALLOWED}")


def _named_before(table: Table, dialect: str) -> set[str]:
    """The names that WITH gives to queries where the table stands."""
    from sqlglot import expressions as exp

    names: set[str] = set()
    node: Expr = table
    while (parent := node.parent) is not None:
        if isinstance(parent, exp.With):
            # A query of WITH sees those before it, and in a recursive WITH all of them.
            for expression in parent.expressions:
                if expression is node and not parent.recursive:
                    break
                names.add(_folded(expression.args["alias"].this, dialect))
        elif isinstance(with_ := parent.args.get("with_"), exp.With) and with_ is not node:
            names |= {_folded(expression.args["alias"].this, dialect) for expression in with_.expressions}
        node = parent
    return names


def _folded(identifier: Expr, dialect: str) -> str:
    """The name as the database takes it."""
    exact = dialect == "postgres" and identifier.args.get("quoted")
    return str(identifier.this) if exact else str(identifier.this).lower()


def _limit(query: Query, most_rows: int) -> None:
    from sqlglot import expressions as exp

    limit: Limit | None = query.args.get("limit")
    if limit is None:
        query.set("limit", exp.Limit(expression=exp.Literal.number(most_rows)))
        return
    limit_value = limit.expression
    if (
        not isinstance(limit_value, exp.Literal)
        or limit_value.is_string
        or not str(limit_value.this).isdecimal()
    ):
        _refuse("LIMIT must be a whole number")
    if int(str(limit_value.this)) > most_rows:
        limit.set("expression", exp.Literal.number(most_rows))


def _written(query: Query, dialect: str) -> str:
    import sqlglot
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

    if dialect == "postgres":
        # Quoted, no name is taken for a function without brackets, such as current_role.
        query = normalize_identifiers(query, dialect=dialect)
    written = _text(query, dialect)
    if _text(sqlglot.parse_one(written, read=dialect), dialect) != written:
        _refuse("the SQL is ambiguous; write it more simply")
    return written


def _text(query: Expr, dialect: str) -> str:
    from sqlglot.errors import ErrorLevel

    # SQLite takes a quoted name that it does not know for a text, which would hide misspelt columns.
    quoted = dialect == "postgres"
    return query.sql(dialect, identify=quoted, comments=False, unsupported_level=ErrorLevel.RAISE)


def _reason(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    if errors:
        return f"{errors[0].get('description', '')}, line {errors[0].get('line')}".replace("\n", " ")[:200]
    return "at an unterminated quotation mark or comment"


def _refuse(reason: str) -> NoReturn:
    raise RequestError("sql", reason)
