import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { houseSpace } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

/** Houses of the pass's project its holder (`t.member_id`) lives in. */
const HOMES = `SELECT r.house_id FROM household r JOIN house o ON o.id = r.house_id AND o.project_id = t.project_id
  WHERE r.member_id = t.member_id AND r.status = 'normal'`;

/** Parking passes of those who live in a house, on its card. */
export const registration = bindResource(houseSpace, {
  table: 'parking_pass',
  from: `parking_pass t LEFT JOIN parking_lot l ON l.id = t.lot_id LEFT JOIN member m ON m.id = t.member_id ${houseJoins(`(SELECT min(q.house_id) FROM (${HOMES}) q)`)}`,
  where: 't.member_id IS NOT NULL',
  columns: {
    house: HOUSE_REF,
    lot: 'l.name',
    holder: `coalesce(nullif(m.name, ''), m.nickname)`,
    valid: `(t.cancelled_at IS NULL AND ${TODAY} BETWEEN t.starts_on AND t.ends_on)`,
  },
  // Somebody with two houses parks for both.
  filters: {
    house: (value, parameters) =>
      `EXISTS (SELECT FROM (${HOMES}) q WHERE q.house_id::text = ANY(${parameters.bind(value.split(','))}::text[]))`,
  },
  // The house is that of its holder; the pass itself lies in the project.
  scope: { ...onHouse('t.created_by'), project: 't.project_id' },
}).registration;
