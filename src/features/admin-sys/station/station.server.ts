import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { setStaffOfStation } from '../staff/staff-commands.server.ts';
import { station } from './station.contract.ts';
import { requireReleased } from './station-holds.server.ts';

const bound = bindResource(station, {
  table: 'station',
  columns: {
    departments: 'ARRAY(SELECT sd.department_id FROM station_department sd WHERE sd.station_id = t.id)',
    staffCount: `(SELECT count(*) FROM staff_station ss JOIN staff s ON s.id = ss.staff_id WHERE ss.station_id = t.id AND s.state <> 'left')`,
  },
  writes: { departments: false },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by', ownTenant: true },
  search: `lower(t.name || ' ' || t.code)`,
  rowRules: {
    remove: (row) => (Number(row.staffCount) > 0 ? ['岗位下有员工', 'Post in use'] : undefined),
    enable: (row) => (row.enabled ? ['岗位已启用', 'The post is enabled'] : undefined),
    disable: (row) => (row.enabled ? undefined : ['岗位已停用', 'The post is disabled']),
  },
  present: presentDepartments,
  createDefaults: async (_tx, caller) => ({ tenant_id: caller.tenantId }),
  handlers: {
    create: async (context) => {
      if (
        await runOne(context.tx, 'SELECT 1 FROM station WHERE tenant_id = $1 AND code = $2', [
          context.caller.tenantId,
          context.input.code,
        ])
      )
        throw ruleBroken(['编码已存在', 'Code exists']);
      const row = await runOne<{ id: number }>(
        context.tx,
        `INSERT INTO station (tenant_id, code, name, type, planned, sort, description, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING id`,
        [
          context.caller.tenantId,
          context.input.code,
          context.input.name,
          context.input.type,
          context.input.planned ?? 0,
          context.input.sort ?? 0,
          context.input.description ?? '',
          context.caller.staffId,
        ],
      );
      await setDepartments(context, row!.id, (context.input.departments as number[] | undefined) ?? []);
      return { id: row!.id };
    },
    update: async (context) => {
      const { type } = context.input;
      if (type !== undefined && type !== context.row.type)
        await requireReleased(context.tx, context.platform, context.id, String(context.row.type));
      if (context.input.departments !== undefined)
        await setDepartments(context, context.id, context.input.departments as number[]);
    },
    enable: async () => ({ set: { enabled: true } }),
    disable: async () => ({ set: { enabled: false } }),
    remove: async (context) => {
      await run(context.tx, 'DELETE FROM station_department WHERE station_id = $1', [context.id]);
      // Those who have left may still hold it.
      await setHolders(context, []);
    },
    bindStaff,
  },
  also: {
    options: [
      tenantOptions({
        target: 'station',
        from: 'station t',
        usable: 't.enabled',
        search: ['t.name', 't.code'],
        note: 't.code',
        order: 't.sort',
      }),
      tenantOptions({
        target: 'companyStation',
        from: 'station t JOIN tenant n ON n.id = t.tenant_id',
        usable: 't.enabled',
        search: ['t.name', 't.code', 'n.name'],
        note: 'n.name',
        order: 'n.kind, n.id, t.sort',
        ofEveryCompany: ['allUserManager'],
      }),
    ],
  },
});

/** Posts with their staff. */
export const registration = bound.registration;

async function bindStaff(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  const wanted = [...new Set((input.staff as number[] | undefined) ?? [])];
  const known = await run<{ id: number }>(
    tx,
    `SELECT id FROM staff WHERE tenant_id = $1 AND state <> 'left' AND id = ANY($2::bigint[])`,
    [caller.tenantId, wanted],
  );
  if (known.length !== wanted.length) throw notFound();
  const { bound, released } = await setHolders(context, wanted);
  return {
    remark: [
      ...(bound.length > 0 ? [`+ ${bound.join('、')}`] : []),
      ...(released.length > 0 ? [`− ${released.join('、')}`] : []),
    ].join('；'),
  };
}

/** Makes the holders of the post exactly those given; each of them is told in its own timeline. */
function setHolders(context: ActionContext, staffIds: readonly number[]) {
  const { label } = station.actions!.bindStaff!;
  const post = { id: context.id, menu: station.menu, action: 'bindStaff', label };
  return setStaffOfStation(context.tx, context, post, staffIds);
}

async function setDepartments(
  { tx, caller }: ActionContext,
  stationId: number,
  ids: readonly number[],
): Promise<void> {
  const known = await run(tx, 'SELECT 1 FROM department WHERE tenant_id = $1 AND id = ANY($2::bigint[])', [
    caller.tenantId,
    ids,
  ]);
  if (known.length !== new Set(ids).size) throw notFound();
  await run(tx, 'DELETE FROM station_department WHERE station_id = $1', [stationId]);
  await run(
    tx,
    'INSERT INTO station_department (station_id, department_id) SELECT $1, unnest($2::bigint[])',
    [stationId, [...new Set(ids)]],
  );
}

async function presentDepartments(rows: DbRow[], db: Executor): Promise<void> {
  const ids = [...new Set(rows.flatMap((row) => row.departments as number[]))];
  const found =
    ids.length === 0
      ? []
      : await run<{ id: number; name: string }>(
          db,
          'SELECT id, name FROM department WHERE id = ANY($1::bigint[])',
          [ids],
        );
  const names = new Map(found.map((one) => [one.id, one.name]));
  for (const row of rows)
    row.departments = (row.departments as number[]).map((id) => ({
      id: String(id),
      title: names.get(id) ?? '',
    }));
}
