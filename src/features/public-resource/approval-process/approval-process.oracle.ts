import { counted, stateTabs } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

/** Projects a version names, by itself or by its unit. */
const named = (row: Raw, world: World): number[] => {
  if (row.scope_kind === 'project')
    return (by(world, 'approval_process_project', 'process_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    );
  if (row.scope_kind !== 'unit') return [];
  return world.rows.project!.filter((one) => one.unit_id === row.unit_id).map((one) => Number(one.id));
};

export const oracle = defineOracle({
  name: 'approvalProcess',
  menu: 'approvalProcess',
  table: 'approval_process',
  where: (row) => row.superseded_by === null,
  reads: ['approval_process_project', 'project'],
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: undefined,
    owner: row.created_by,
    rule: 'everybody',
  }),
  // Platform-wide ones are everybody's but merchants', who see what their company keeps.
  extra: (row, world, held) => {
    if (held.kind === 2 && row.tenant_id !== held.row.tenant_id) return false;
    if (!held.projects) return true;
    if (row.scope_kind === 'platform') return true;
    if (row.scope_kind === 'tenant') return row.tenant_id === held.row.tenant_id;
    return named(row, world).some((id) => held.projects!.has(id));
  },
  filters: {
    projects: {
      value: (dice, world) =>
        dice
          .some(world.rows.project!, 1 + dice.upTo(3))
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, world, held) =>
        named(row, world).some(
          (id) => value.split(',').includes(String(id)) && (held.projects?.has(id) ?? true),
        ),
    },
  },
  tabs: { all: () => true, ...stateTabs('published', 'draft', 'stopped') },
  text: (row) => `${row.name_zh} ${row.name_en}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  sample: (turn) => ({
    bizType: 'leave',
    scopeKind: 'platform',
    tenant: undefined,
    unit: undefined,
    projects: undefined,
    nameZh: `请假审批 ${turn}`,
    summaryFields: [],
    nodes: [
      {
        key: 'leader',
        type: 'approve',
        name: '上级审批',
        candidates: [{ kind: 'leader', levels: 1 }],
        mode: 'any',
        starterRule: 'head',
        nobody: 'admin',
        onRefuse: 'end',
        resubmit: 'all',
        allowed: ['transfer'],
        batch: true,
        opinionRequired: false,
        hidden: [],
      },
    ],
  }),
  fill: async ({ db, dice, staff }) => {
    for (const { id, tenantId } of staff.slice(0, 60)) {
      const scope = dice.pick(['platform', 'tenant', 'unit', 'project']);
      await run(
        db,
        `WITH p AS (
           INSERT INTO approval_process (biz_type, name_zh, name_en, scope_kind, tenant_id, unit_id, state, created_by)
           VALUES ($1, $2, $3, $4, $5, CASE WHEN $4 = 'unit' THEN (SELECT unit_id FROM project WHERE unit_id IS NOT NULL ORDER BY (id * $6) % 101 LIMIT 1) END, $7, $8) RETURNING id)
         INSERT INTO approval_process_project (process_id, project_id)
         SELECT p.id, j.id FROM p, (SELECT id FROM project ORDER BY (id * $6) % 97 LIMIT 2) j WHERE $4 = 'project'`,
        [
          dice.pick(['leave', 'overtime', 'payee_account']),
          `随机流程${id}`,
          `Random ${id}`,
          scope,
          scope === 'platform' ? null : tenantId,
          1 + dice.upTo(90),
          dice.pick(['draft', 'stopped']),
          id,
        ],
      );
    }
  },
});
