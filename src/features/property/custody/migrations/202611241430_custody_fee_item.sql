-- What a custody is charged by, where it costs something.
ALTER TABLE house_custody ADD COLUMN fee_item_id bigint REFERENCES fee_item;
CREATE INDEX house_custody_fee_item ON house_custody (fee_item_id) WHERE fee_item_id IS NOT NULL;
