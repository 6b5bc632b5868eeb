import { inCareCondition } from '../../../domain/approval/approvers.server.ts';
import { listSight, type RowSight } from '../../../domain/notification/row-sight.server.ts';
import { OVERTIME_MENU } from './overtime.rules.ts';

/** Element that lets decide. */
export const APPROVE = `${OVERTIME_MENU}:btn_approve`;

/** Where an overtime row or leave row stands: tenant and staff. */
export const RECORD_SCOPE = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.staff_id',
  ownTenant: true,
} as const;

/** Overtime as its list shows it, and as those may read it who decide about it. */
export const overtimeSights = sightsOf('overtime');

/** Time off, the same two ways. */
export const leaveSights = sightsOf('leave');

/** The balance of a staff: who sees its records, and who stands above it. */
export const balanceSight: RowSight = {
  entity: 'leaveBalance',
  menu: OVERTIME_MENU,
  condition: (holder, id, parameters) => inCareCondition(holder, OVERTIME_MENU, id, parameters),
};

function sightsOf(kind: 'overtime' | 'leave'): { readonly outcome: RowSight; readonly toDecide: RowSight } {
  const table = `${kind}_record`;
  return {
    outcome: listSight({ entity: `${kind}Record`, menu: OVERTIME_MENU, table, scope: RECORD_SCOPE }),
    toDecide: {
      entity: `${kind}Approval`,
      menu: OVERTIME_MENU,
      condition: (holder, id, parameters) =>
        holder.elements.has(APPROVE)
          ? `EXISTS (SELECT FROM ${table} r WHERE r.id = ${id} AND ${inCareCondition(holder, OVERTIME_MENU, 'r.staff_id', parameters)})`
          : 'FALSE',
    },
  };
}
