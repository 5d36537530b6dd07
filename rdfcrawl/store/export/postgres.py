"""Relations as a schema of a PostgreSQL database: all of them, or what was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.store.export.relations import Record, Relation, Relations, ScalarType
from rdfcrawl.store.export.sqlite_file import batches

if TYPE_CHECKING:
    import psycopg

_ROWS: Final = 20_000
_OURS: Final = "written by rdfcrawl export"
"""The comment of a schema that an export may replace."""
_LONGEST_KEY: Final = 2_600
_TYPES: Final = {
    ScalarType.TEXT: "text",
    ScalarType.INTEGER: "bigint",
    ScalarType.DECIMAL: "numeric",
    ScalarType.DOUBLE: "double precision",
    ScalarType.BOOLEAN: "boolean",
    ScalarType.DATE: "date",
    ScalarType.TIME: "time",
    ScalarType.LOCAL_TIME: "timestamp",
    ScalarType.ZONED_TIME: "timestamptz",
}


def write_postgres(relations: Relations, address: str, schema: str) -> dict[str, int]:
    """Replace a schema in one transaction; returns the number of rows of each table. Readers never see a part of it."""
    try:
        import psycopg
    except ImportError:
        raise UsageError('PostgreSQL needs psycopg: pip install "rdfcrawl[postgres]"') from None
    _check(address)
    try:
        with psycopg.connect(address, application_name="rdfcrawl export") as connection:
            _make_schema(connection, schema)
            long: set[str] = set()
            counts = {relation.name: 0 for relation in relations.relations}
            for relation in relations.relations:
                connection.execute(_table(relation, schema))
            for relation, rows in batches(relations, _ROWS):
                counts[relation.name] += _copy(connection, relation, schema, rows)
            for relation in relations.relations:
                long |= _long_keys(connection, relation, schema)
                _constrain(connection, relation, schema, long)
    except psycopg.Error as error:
        raise StoreError(f"nothing was written to PostgreSQL: {str(error).strip()}") from error
    return counts


def _check(address: str) -> None:
    """Refuse passwords: addresses are in the list of processes and in the history of the shell."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(address)
    except ProgrammingError:
        raise UsageError(
            "--to is not an address of PostgreSQL; it must be like postgresql://user@host/database"
        ) from None
    if parts.get("password"):
        raise UsageError(
            "a password does not belong in the address, which others can read; "
            "PGPASSWORD, ~/.pgpass or a service file (postgresql:///?service=NAME) can have it"
        )


def _make_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    from psycopg import sql

    # Two exports into one schema take turns.
    connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"rdfcrawl export {schema}"])
    found = connection.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s", [schema]
    ).fetchone()
    if found is not None and found[0] != _OURS:
        raise UsageError(f"the schema {schema} is not from an export and is left alone; name another one with --schema")
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(name, sql.Literal(_OURS)))


def _table(relation: Relation, schema: str) -> Any:
    from psycopg import sql

    columns = [
        sql.SQL("{} {}{}").format(
            sql.Identifier(field.name), sql.SQL(_TYPES[field.type]), sql.SQL(" NOT NULL" if field.required else "")
        )
        for field in relation.fields
    ]
    return sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(schema, relation.name), sql.SQL(", ").join(columns))


def _copy(connection: psycopg.Connection[Any], relation: Relation, schema: str, rows: list[Record]) -> int:
    from psycopg import sql

    statement = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(schema, relation.name))
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            # No text of PostgreSQL contains the character 0.
            copy.write_row([value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row])
    return len(rows)


def _long_keys(connection: psycopg.Connection[Any], relation: Relation, schema: str) -> set[str]:
    """The name of the relation, if its keys are longer than what an ordinary index of PostgreSQL holds."""
    from psycopg import sql

    sizes = sql.SQL(" + ").join(sql.SQL("octet_length({}::text)").format(sql.Identifier(name)) for name in relation.key)
    query = sql.SQL("SELECT max({}) FROM {}").format(sizes, sql.Identifier(schema, relation.name))
    found = connection.execute(query).fetchone()
    return {relation.name} if found is not None and (found[0] or 0) > _LONGEST_KEY else set()


def _constrain(connection: psycopg.Connection[Any], relation: Relation, schema: str, long: set[str]) -> None:
    """Add the keys and indexes, which is faster when the rows are there; ``long`` keys are unique by their hashes."""
    from psycopg import sql

    table = sql.Identifier(schema, relation.name)
    key = sql.SQL(", ").join(map(sql.Identifier, relation.key))
    if relation.name in long:
        hashes = sql.SQL(", ").join(sql.SQL("md5({}::text)").format(sql.Identifier(name)) for name in relation.key)
        connection.execute(sql.SQL("CREATE UNIQUE INDEX ON {} ({})").format(table, hashes))
    else:
        connection.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(table, key))
    for name, other in relation.references.items():
        if other not in long:
            reference = sql.SQL("ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {}")
            connection.execute(reference.format(table, sql.Identifier(name), sql.Identifier(schema, other)))
    for name in relation.indexes:
        # A hash index holds texts of any length.
        kind = next(field.type for field in relation.fields if field.name == name)
        using = sql.SQL("hash" if kind is ScalarType.TEXT else "btree")
        connection.execute(sql.SQL("CREATE INDEX ON {} USING {} ({})").format(table, using, sql.Identifier(name)))
