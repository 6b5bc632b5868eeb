import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { houseDecoration } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

/** Decoration works on the card of their house. */
export const registration = bindResource(houseDecoration, {
  table: 'decoration_application',
  from: `decoration_application t ${houseJoins('t.house_id')}`,
  columns: { house: HOUSE_REF },
  scope: onHouse('t.created_by'),
}).registration;
