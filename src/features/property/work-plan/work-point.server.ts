import { z } from 'zod';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { workPoint, type PointQr } from './work-point.contract.ts';

const MENU = workPoint.menu;
/** Points and plans stand in their company and project. */
export const PLAN_SCOPE = { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' } as const;

const points: OptionSource = {
  target: 'workPoint',
  anyOf: [MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [scopeCondition(caller, MENU, PLAN_SCOPE, parameters)];
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else {
      parts.push('t.enabled');
      if (query.within && query.within.length > 0)
        parts.push(`t.project_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      if (query.searchVal) parts.push(`t.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title, p.name AS note FROM work_point t JOIN project p ON p.id = t.project_id WHERE ${parts.join(' AND ')}
        ORDER BY p.name, t.name, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

const bound = bindResource(workPoint, {
  table: 'work_point',
  joins: { project: 'project' },
  scope: PLAN_SCOPE,
  search: 't.search',
  columns: { longitude: 't.longitude::text', latitude: 't.latitude::text' },
  unique: { work_point_name: ['该项目已有同名点位', 'The project has a point of this name'] },
  before: [check],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/workPoint/qr',
      title: ['点位二维码', 'QR of points'],
      access: { code: `${MENU}:btn_point` },
      query: z.strictObject({ ids: z.string().regex(/^\d{1,15}(,\d{1,15}){0,99}$/) }),
      handle: async ({ caller, platform, query }): Promise<PointQr[]> => {
        const parameters = new Parameters();
        const ids = query.ids.split(',').map(Number);
        const rows = await run<PointQr & { id: string }>(
          platform.database.db,
          `SELECT t.id::text AS id, t.name, t.place, p.name AS project, t.token AS code FROM work_point t JOIN project p ON p.id = t.project_id
            WHERE t.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${scopeCondition(caller, MENU, PLAN_SCOPE, parameters)} ORDER BY p.name, t.name, t.id`,
          parameters.values,
        );
        if (rows.length < new Set(ids).size) throw notFound();
        return rows;
      },
    }),
  ],
  also: { options: [points] },
});

/** Points of planned orders. */
export const registration = bound.registration;

/** Both coordinates or none; the company is that of the project. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (action === 'create') columns.tenant_id = await companyRunning(tx, caller, Number(input.project));
  const side = (name: 'longitude' | 'latitude') =>
    (input[name] === undefined ? row[name] : input[name]) ?? null;
  if ((side('longitude') === null) !== (side('latitude') === null))
    throw invalid({
      [side('longitude') === null ? 'longitude' : 'latitude']: [
        '经度与纬度须同时填写',
        'Longitude and latitude go together',
      ],
    });
}

/** The company that runs a project of the caller's. Throws 404 and 422. */
export async function companyRunning(tx: Tx, caller: Caller, projectId: number): Promise<number> {
  requireProjectsInReach(caller, [projectId]);
  const company = await runOne<{ tenant_id: number }>(tx, companyOf('$1::bigint'), [projectId]);
  if (!company) throw invalid({ project: ['该项目没有物业公司', 'No company runs this project'] });
  return company.tenant_id;
}
