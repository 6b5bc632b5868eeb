#!/bin/bash
# Runs once, when the database volume is empty: the owner of the schema and the role of the application.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U postgres -v app="$APP_DB_PASSWORD" -v owner="$OWNER_DB_PASSWORD" <<'SQL'
CREATE ROLE app_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner';
CREATE ROLE app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'app';
CREATE DATABASE product OWNER app_owner;
REVOKE ALL ON DATABASE product FROM PUBLIC;
GRANT CONNECT ON DATABASE product TO app;
SQL
