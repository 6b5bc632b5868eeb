import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { HOUSE_MENU, houseOrder } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

const PLACE: ScopeColumns = onHouse('coalesce(t.handler_id, t.created_by)');

/** Work orders on the card of their house; nobody sees the complaint about oneself. */
export const registration = bindResource(houseOrder, {
  table: 'work_order',
  from: `work_order t ${houseJoins('t.house_id')} LEFT JOIN staff h ON h.id = t.handler_id`,
  where: 't.house_id IS NOT NULL',
  columns: { house: HOUSE_REF, handler: { id: 't.handler_id', title: 'h.name' } },
  scope: {
    ...PLACE,
    ownerMoves: true,
    own: (caller, parameters: Parameters) =>
      `(${scopeCondition(caller, HOUSE_MENU, PLACE, parameters)} AND t.complained_staff_id IS DISTINCT FROM ${parameters.bind(caller.staffId)})`,
  },
}).registration;
