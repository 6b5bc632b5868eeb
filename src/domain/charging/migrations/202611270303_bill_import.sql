-- Bills from a table: a house, item and period once, also when two files come at the same time.
ALTER TABLE bill ADD COLUMN imported boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX bill_imported_once ON bill (house_id, fee_item_id, period_from) WHERE imported AND state <> 'void';
