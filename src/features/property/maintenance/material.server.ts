import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { moveStock } from '../../../domain/work-order/materials.server.ts';
import { material } from './material.contract.ts';

/** Where a material stands; its movements stand with it. */
export const MATERIAL_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

const bound = bindResource(material, {
  table: 'material',
  scope: MATERIAL_SCOPE,
  search: 't.search',
  joins: { project: 'project' },
  unique: {
    material_name: ['该项目已有同名同规格的材料', 'The project has a material of this name and spec'],
  },
  usedBy: {
    material_move: ['出入库记录', 'movements'],
    work_order_material: ['工单', 'work orders'],
  },
  before: [
    async ({ tx, action, input, columns, caller }: ActionContext) => {
      if (action !== 'create') return;
      const projectId = Number(input.project);
      requireProjectsInReach(caller, [projectId]);
      const company = await runOne<{ tenant_id: number }>(tx, companyOf('$1::bigint'), [projectId]);
      if (!company) throw invalid({ project: ['该项目没有物业公司', 'No company runs this project'] });
      columns.tenant_id = company.tenant_id;
    },
  ],
  handlers: { stockIn: (context) => move(context, 1), stockOut: (context) => move(context, -1) },
});

/** Materials of projects. */
export const registration = bound.registration;

async function move(context: ActionContext, sign: 1 | -1): Promise<ActionResult> {
  const { tx, id, input, caller, row } = context;
  const qty = Number(input.qty) * sign;
  const reason = String(input.reason);
  await moveStock(tx, id, qty, reason, staffIdOf(caller));
  return {
    remark: `${qty > 0 ? '+' : ''}${qty} · ${reason}`,
    changes: [{ field: 'stock', before: row.stock, after: Number(row.stock) + qty }],
  };
}
