"""What every database is cloned from: roles, the functions that they may call, and casts that know no clock.

PostgreSQL itself asks for the right to each function and relation, as SQLite asks the authorizer of the other engine.
"""

# ruff: noqa: S608 - all names are constants of this file

from __future__ import annotations

from collections.abc import Sequence

KEEPER, PLAYER, JUDGE = "keeper", "player", "judge"
"""Roles: the owner of everything, the one of the agent's statements, and the one of its answers on siblings."""

_AGGREGATES = "count sum avg min max string_agg bool_and bool_or every percentile_cont"
_WINDOWS = "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value"
_TEXTS = "length char_length lower upper substr substring btrim ltrim rtrim replace strpos position left right concat"
_OTHERS = (
    "abs round sign ceil ceiling floor trunc mod date_part extract make_date initcap split_part to_char date_trunc"
)
# Of the concatenations, these are of texts with numbers and dates.
_OPERATORS = "anytextcat textanycat"
# PostgreSQL looks values up by their hashes where an IN lists nine or more of them.
_HASHES = "hashint4 hashint8 hashtext"
FUNCTIONS = f"{_AGGREGATES} {_WINDOWS} {_TEXTS} {_OTHERS} {_OPERATORS} {_HASHES}".split()
"""The functions that may be called, beside those of operators and casts between `_TYPES`. None of them makes a long
text of a short one by itself, reads the clock, sleeps, draws, or looks at the server."""
_TYPES = "int2 int4 int8 numeric float4 float8 text varchar bpchar bool date interval timestamp timestamptz".split()  # noqa: SIM905 - shorter
_TEXT_TYPES = ("text", "varchar", "bpchar", "name", "char")
_CLOCK_TYPES = ("date", "time", "timetz", "timestamp", "timestamptz")
_RANGES = ("daterange", "tsrange", "tstzrange", "datemultirange", "tsmultirange", "tstzmultirange")


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


# A text that a statement puts together could be 'now', which casts through input functions would turn into the
# present. So casts from texts to types with a clock go through functions: for dates one that takes digits alone, for
# the others one that nobody may call.
STATEMENTS = (
    f"CREATE ROLE {PLAYER} LOGIN",
    f"CREATE ROLE {JUDGE} LOGIN",
    "REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC",
    "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    "REVOKE ALL ON LANGUAGE plpgsql FROM PUBLIC",
    "CREATE SCHEMA extra",
    f"GRANT USAGE ON SCHEMA extra TO {PLAYER}, {JUDGE}",
    """
    CREATE FUNCTION extra.day_of(value text) RETURNS date IMMUTABLE STRICT LANGUAGE sql AS $$
        SELECT pg_catalog.make_date(
            pg_catalog.substr(value, 1, 4)::int4, pg_catalog.substr(value, 6, 2)::int4,
            pg_catalog.substr(value, 9, 2)::int4)
    $$
    """,
    """
    CREATE FUNCTION extra.julianday(value text) RETURNS float8 IMMUTABLE STRICT LANGUAGE sql AS $$
        SELECT (extra.day_of(value) OPERATOR(pg_catalog.-) '2000-01-01'::date)::float8 OPERATOR(pg_catalog.+) 2451544.5
    $$
    """,
    f"""
    DO $$
    DECLARE each record;
    BEGIN
        FOR each IN
            SELECT source.typname AS text_type, target.oid::regtype AS clock_type, target.typname AS name
            FROM pg_type source, pg_type target
            WHERE source.typnamespace = 'pg_catalog'::regnamespace AND source.typname IN ({_names(_TEXT_TYPES)})
            AND (target.typname IN ({_names(_CLOCK_TYPES + _RANGES)})
                OR target.typelem IN (SELECT oid FROM pg_type WHERE typname IN ({_names(_CLOCK_TYPES + _RANGES)})))
            AND NOT EXISTS (SELECT 1 FROM pg_cast WHERE castsource = source.oid AND casttarget = target.oid)
        LOOP
            IF each.name = 'date' THEN
                EXECUTE format('CREATE FUNCTION extra.date_from(%I) RETURNS date IMMUTABLE STRICT LANGUAGE sql AS '
                    '''SELECT extra.day_of($1::text)''', each.text_type);
                EXECUTE format('CREATE CAST (pg_catalog.%I AS date) WITH FUNCTION extra.date_from(%I)',
                    each.text_type, each.text_type);
            ELSE
                EXECUTE format('CREATE FUNCTION extra.%I(pg_catalog.%I) RETURNS %s LANGUAGE sql AS ''SELECT NULL::%s''',
                    each.name || '_from', each.text_type, each.clock_type, each.clock_type);
                EXECUTE format('CREATE CAST (pg_catalog.%I AS %s) WITH FUNCTION extra.%I(pg_catalog.%I)',
                    each.text_type, each.clock_type, each.name || '_from', each.text_type);
            END IF;
        END LOOP;
    END $$
    """,
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pg_catalog, information_schema, extra FROM PUBLIC",
    "REVOKE ALL ON ALL TABLES IN SCHEMA pg_catalog, information_schema FROM PUBLIC",
    "REVOKE ALL ON SCHEMA information_schema FROM PUBLIC",
    f"""
    DO $$
    DECLARE each record;
    BEGIN
        FOR each IN
            WITH allowed AS (SELECT oid FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
                AND typname IN ({_names(_TYPES)}) UNION ALL SELECT 0)
            SELECT DISTINCT proc.oid::regprocedure AS name FROM pg_proc proc WHERE (
                proc.pronamespace = 'pg_catalog'::regnamespace AND proc.proname IN ({_names(FUNCTIONS)})
                OR proc.oid IN (SELECT oprcode FROM pg_operator WHERE oprleft IN (TABLE allowed)
                    AND oprright IN (TABLE allowed))
                OR proc.oid IN (SELECT castfunc FROM pg_cast WHERE castsource IN (TABLE allowed)
                    AND casttarget IN (TABLE allowed) AND castfunc <> 0)
                AND proc.pronamespace = 'pg_catalog'::regnamespace
                OR proc.oid IN ('extra.day_of(text)'::regprocedure, 'extra.julianday(text)'::regprocedure)
                OR proc.proname = 'date_from')
            AND proc.proname NOT LIKE '%regex%' AND proc.proname <> 'numeric_power'
        LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO {PLAYER}, {JUDGE}', each.name);
        END LOOP;
    END $$
    """,
)
"""Statements that make a fresh cluster's template1 the template, each to be carried out by the keeper."""
