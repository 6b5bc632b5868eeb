-- What an order gives back always fits. The limit of 999,999 is one of what staff enter: as a limit of the table it kept an
-- unpaid order from closing and a paid refund from being booked once the stock had been filled up behind them.
ALTER TABLE product_spec DROP CONSTRAINT product_spec_stock_check;
ALTER TABLE product_spec ADD CONSTRAINT product_spec_stock_check CHECK (stock >= 0);
