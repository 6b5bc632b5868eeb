-- A reference on the wire. List pages are written by the database, and row_to_json nests this type as it is.
CREATE TYPE wire_ref AS (id text, title text);
