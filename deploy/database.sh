#!/bin/sh
# Run once by PostgreSQL's image over an empty volume: PolyRAG's role is no superuser, but makes a role for
# each workspace; the extension takes a superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POLYRAG_PASSWORD" -U "$POSTGRES_USER" <<'SQL'
CREATE ROLE polyrag LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE polyrag OWNER polyrag;
\connect polyrag
CREATE EXTENSION vector;
SQL
