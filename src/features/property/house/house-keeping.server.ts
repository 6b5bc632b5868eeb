import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { houseKeeping } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

/** Custody on the card of the house. */
export const registration = bindResource(houseKeeping, {
  table: 'house_custody',
  from: `house_custody t ${houseJoins('t.house_id')} LEFT JOIN staff h ON h.id = t.handler_id`,
  columns: { house: HOUSE_REF, handler: { id: 't.handler_id', title: 'h.name' } },
  scope: onHouse('t.created_by'),
}).registration;
