import type { Caller } from '../../kernel/server/people/caller.ts';
import { scopeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import type { RowSight } from '../notification/row-sight.server.ts';

/** Where a work order `t` stands: its company or merchant, its project, and who handles or took it in. */
const PLACE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 'coalesce(t.handler_id, t.created_by)',
};

/**
 * The scope of work orders under a menu: places and grants as ever, and never the complaint about oneself. Lists, details,
 * counts, exports, actions and messages all ask it. Source: group 06, cs_workOrder rules, Must show 13.
 */
export const workOrderScope = (menu: string): ScopeColumns => ({
  ...PLACE,
  ownerMoves: true,
  own: (caller, parameters) =>
    `(${scopeCondition(caller, menu, PLACE, parameters)} AND t.complained_staff_id IS DISTINCT FROM ${parameters.bind(caller.staffId)})`,
});

/** Menu of the list of work orders. */
export const WORK_ORDER_MENU = 'cs_workOrder';

/** Who may be told of work orders. */
export const workOrderSight: RowSight = {
  entity: 'workOrder',
  menu: WORK_ORDER_MENU,
  condition: (holder: Caller, id, parameters) =>
    `EXISTS (SELECT FROM work_order t WHERE t.id = ${id} AND ${scopeCondition(holder, WORK_ORDER_MENU, workOrderScope(WORK_ORDER_MENU), parameters)})`,
};

/** Menu of the list of planned orders. */
export const PLAN_ORDER_MENU = 'cs_PlaneWorkOrder';

/** Who may be told of planned orders. */
export const planOrderSight: RowSight = {
  entity: 'planOrder',
  menu: PLAN_ORDER_MENU,
  condition: (holder: Caller, id, parameters) =>
    `EXISTS (SELECT FROM work_order t WHERE t.id = ${id} AND t.type = 'plan' AND ${scopeCondition(holder, PLAN_ORDER_MENU, workOrderScope(PLAN_ORDER_MENU), parameters)})`,
};

/** What a message about an order names and opens: planned orders have a list of their own. */
export const listOf = (row: { readonly type?: unknown }, id: number) =>
  row.type === 'plan'
    ? {
        rows: { sight: planOrderSight, ids: [id] },
        route: `/companymanager/${PLAN_ORDER_MENU}?detail=${id}`,
      }
    : {
        rows: { sight: workOrderSight, ids: [id] },
        route: `/companymanager/${WORK_ORDER_MENU}?detail=${id}`,
      };
