"""Roles of the database that read a workspace's tables, and the one function through which they read.

A statement written by others runs inside that function alone. It belongs to the role and runs with its
owner's rights, and in such a function PostgreSQL refuses every change of role ("cannot set parameter
role within security-definer function"), also by way of functions that run SQL of their own. It opens a
cursor, so that several statements, COPY, DO and transaction commands are refused too, and stops after
so many rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

if TYPE_CHECKING:
    from typing import Any

FUNCTION = """
CREATE OR REPLACE FUNCTION {function}(statement text, most integer) RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER SET search_path TO {schema} AS $reading$
DECLARE
    found record;
    told integer := 0;
BEGIN
    IF current_setting('transaction_read_only') <> 'on' THEN
        RAISE EXCEPTION 'statements run in a read-only transaction alone';
    END IF;
    FOR found IN EXECUTE statement LOOP
        told := told + 1;
        EXIT WHEN told > most;
        RETURN NEXT found;
    END LOOP;
END $reading$;
"""


def reader_function(schema: str, role: str) -> sql.Identifier:
    """The address of the function through which `role` reads."""
    return sql.Identifier(schema, role)


def reader_role_create(*, cursor: Any, schema: str, role: str) -> None:
    """Make the role that may read the tables of `schema` and nothing else, and its function.

    Both are made once; to call it again is harmless. Runs in the caller's transaction, as the owner of
    the schema.
    """
    names = {
        "schema": sql.Identifier(schema),
        "role": sql.Identifier(role),
        "function": reader_function(schema, role),
    }
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
    if cursor.fetchone() is None:
        cursor.execute(sql.SQL("CREATE ROLE {role} NOLOGIN").format(**names))
    for statement in (
        "GRANT {role} TO CURRENT_USER",
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        FUNCTION,
        "REVOKE ALL ON FUNCTION {function} FROM PUBLIC",
        # A new owner must be able to make functions there, for this moment.
        "GRANT CREATE ON SCHEMA {schema} TO {role}",
        "ALTER FUNCTION {function} OWNER TO {role}",
        "REVOKE CREATE ON SCHEMA {schema} FROM {role}",
    ):
        cursor.execute(sql.SQL(statement).format(**names))
