-- A buyer puts the automatic receipt off once.
ALTER TABLE sales_order ADD COLUMN receive_delayed boolean NOT NULL DEFAULT false;
