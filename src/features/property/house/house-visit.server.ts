import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { houseVisit } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

/** Visits on the card of their house. */
export const registration = bindResource(houseVisit, {
  table: 'visitor_registration',
  from: `visitor_registration t ${houseJoins('t.house_id')}`,
  columns: { house: HOUSE_REF },
  scope: onHouse('t.created_by'),
}).registration;
