-- Since when the deposit of a merchant is less than its agreement asks for.
ALTER TABLE tenant ADD COLUMN deposit_short_since date;
CREATE INDEX tenant_deposit_short ON tenant (deposit_short_since) WHERE deposit_short_since IS NOT NULL;
