import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { run } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { setStaffOfStation } from '../staff/staff-commands.server.ts';
import { station } from './station.contract.ts';
import { requireReleased } from './station-holds.server.ts';

const bound = bindResource(station, {
  table: 'station',
  columns: {
    staffCount: `(SELECT count(*) FROM staff_station ss JOIN staff s ON s.id = ss.staff_id WHERE ss.station_id = t.id AND s.state <> 'left')`,
  },
  links: {
    departments: { table: 'station_department', own: 'station_id', other: 'department_id', to: 'department' },
  },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by', ownTenant: true },
  search: `lower(t.name || ' ' || t.code)`,
  ruleReads: ['staffCount'],
  rowRules: {
    remove: (row) => (Number(row.staffCount) > 0 ? ['岗位下有员工', 'Post in use'] : undefined),
  },
  createDefaults: async (_tx, caller) => ({ tenant_id: caller.tenantId }),
  handlers: {
    update: async (context) => {
      const { type } = context.input;
      if (type !== undefined && type !== context.row.type)
        await requireReleased(context.tx, context.platform, context.id, String(context.row.type));
    },
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
