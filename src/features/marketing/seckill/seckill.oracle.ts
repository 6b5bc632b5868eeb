import {
  counted,
  dayRange,
  ids,
  isMerchant,
  linked,
  projectsOf,
  stateTabs,
  words,
  type FilterRule,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const STATES = ['draft', 'reviewing', 'rejected', 'scheduled', 'running', 'paused', 'ended', 'cancelled'];
const sessionsOf = (row: Raw, world: World): readonly Raw[] =>
  by(world, 'seckill_session', 'activity_id').get(row.id) ?? [];

/** An activity stands with its tenant, in its projects. */
export const whereActivityStands = (row: Raw, world: World) => ({
  tenant: row.tenant_id as number | null,
  projects: (by(world, 'seckill_project', 'activity_id').get(row.id) ?? []).map((one) =>
    Number(one.project_id),
  ),
  owner: row.created_by as number | null,
  rule: 'places' as const,
});

const overSessions = (column: string, pick: (times: readonly number[]) => number): FilterRule => {
  const rule = dayRange('at');
  return {
    value: rule.value,
    keeps: (row, value, world, held) => {
      const times = sessionsOf(row, world).map((one) => (one[column] as Date).getTime());
      const at = times.length === 0 ? null : new Date(pick(times));
      return rule.keeps({ id: row.id, at }, value, world, held);
    },
  };
};

/** Filters by the first start and the last end of an activity. */
export const overTime = {
  firstStart: overSessions('starts_at', (times) => Math.min(...times)),
  lastEnd: overSessions('ends_at', (times) => Math.max(...times)),
};
/** A merchant asks for its own only, whatever it sends. */
export const ofMerchant = ids('tenant_id', 'tenant', isMerchant);
/** Tables these rules read. */
export const READS = ['seckill_session', 'seckill_project', 'project'] as const;

export const oracle = defineOracle({
  name: 'seckillActivity',
  menu: 'mk_seckillActivityManagement',
  table: 'seckill_activity',
  standing: whereActivityStands,
  sample: () => ({
    audience: 'all',
    audienceGrade: undefined,
    audienceDays: undefined,
    sessions: [{ startsAt: '2030-01-01T10:00:00+08:00', endsAt: '2030-01-01T11:00:00+08:00' }],
  }),
  filters: {
    state: words('state', STATES),
    merchant: ofMerchant,
    projects: projectsOf('seckill_project', 'activity_id'),
    goods: linked('seckill_item', 'activity_id', 'spec_id', 'product_spec'),
    ...overTime,
    submittedAt: dayRange('submitted_at'),
  },
  tabs: {
    all: () => true,
    ...stateTabs('running', 'scheduled', 'paused', 'reviewing', 'rejected', 'draft', 'ended'),
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [...READS, 'seckill_item', 'product_spec'],
});
