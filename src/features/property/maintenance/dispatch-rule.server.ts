import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { dispatchRule } from './dispatch-rule.contract.ts';

const bound = bindResource(dispatchRule, {
  table: 'dispatch_rule',
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  joins: { project: 'project', category: { table: 'work_category', titleEn: 'name_en' } },
  links: {
    pool: { table: 'dispatch_rule_staff', own: 'rule_id', other: 'staff_id', to: 'staff' },
    stations: { table: 'dispatch_rule_station', own: 'rule_id', other: 'station_id', to: 'station' },
  },
  unique: {
    dispatch_rule_place: [
      '该项目、分类、班次已有启用的规则',
      'There is an enabled rule of this project, category and shift',
    ],
  },
  usedBy: { dispatch_rule_staff: false, dispatch_rule_station: false },
  before: [check],
  also: {
    options: [
      tenantOptions({
        target: 'workStation',
        from: 'station t JOIN tenant c ON c.id = t.tenant_id AND c.kind = 1',
        usable: 't.enabled',
        search: ['t.name', 't.code'],
        note: 'c.name',
        order: nameOrder('t.name'),
        ofEveryCompany: [dispatchRule.menu],
      }),
    ],
  },
});

/** Rules of dispatch. */
export const registration = bound.registration;

/** The company of the project; both ends of a shift or none; people of the company alone. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  let tenantId = row.tenant_id as number | undefined;
  if (action === 'create') {
    const projectId = Number(input.project);
    requireProjectsInReach(caller, [projectId]);
    const company = await runOne<{ tenant_id: number }>(tx, companyOf('$1::bigint'), [projectId]);
    if (!company) throw invalid({ project: ['该项目没有物业公司', 'No company runs this project'] });
    tenantId = company.tenant_id;
    columns.tenant_id = tenantId;
  }
  const side = (name: 'shiftFrom' | 'shiftTo', column: string) =>
    (input[name] === undefined ? row[column] : input[name]) || null;
  const [from, to] = [side('shiftFrom', 'shift_from'), side('shiftTo', 'shift_to')];
  if ((from === null) !== (to === null))
    throw invalid({
      [from === null ? 'shiftFrom' : 'shiftTo']: ['请填写班次起止', 'Both ends of the shift'],
    });
  if (from !== null && from === to) throw invalid({ shiftTo: ['与开始时间相同', 'The same as the start'] });
  if (from === '24:00') throw invalid({ shiftFrom: ['请填写 00:00', 'Write 00:00'] });
  columns.shift_from = from;
  columns.shift_to = to;
  for (const [name, table] of [
    ['pool', 'staff'],
    ['stations', 'station'],
  ] as const) {
    const ids = (input[name] as number[] | null | undefined) ?? [];
    if (ids.length === 0) continue;
    const own = await runOne<{ n: number }>(
      tx,
      `SELECT count(*)::integer AS n FROM ${table} WHERE id = ANY($1::bigint[]) AND tenant_id = $2`,
      [ids, tenantId],
    );
    if (own!.n < new Set(ids).size)
      throw invalid({
        [name]: ['须为该项目物业公司的人员与岗位', 'Only of the company that runs the project'],
      });
  }
}
