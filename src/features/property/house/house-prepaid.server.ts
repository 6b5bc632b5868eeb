import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { housePrepaid } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

const isPrepaid = `t.kind LIKE 'prepaid\\_%' AND t.unit = 'fen'`;

/** Prepaid accounts on the card of their house. */
export const registration = bindResource(housePrepaid, {
  table: 'ledger_account',
  from: `ledger_account t ${houseJoins(`CASE WHEN ${isPrepaid} THEN t.owner::bigint END`)}`,
  where: isPrepaid,
  columns: {
    house: HOUSE_REF,
    kind: 'substr(t.kind, 9)',
    movedAt: `(SELECT max(v.at) FROM ledger_entry e JOIN ledger_transfer v ON v.id = e.transfer_id WHERE e.account_id = t.id)`,
  },
  filters: {
    // The accounts of a house are found by their owner, which an index knows.
    house: (value, parameters) => `t.owner = ANY(${parameters.bind(value.split(','))}::text[])`,
  },
  extra: { version: '1' },
  scope: onHouse('NULL::bigint'),
}).registration;
