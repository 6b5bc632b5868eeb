import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle, type FillContext } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type Standing, type World } from '../../../testing/oracle/world.ts';

/** A send stands in its places; one without any stands everywhere. */
export const sendStanding = (row: Raw, world: World): Standing => ({
  tenant: row.tenant_id,
  projects:
    row.place_ids === null
      ? world.rows.project!.map((one) => Number(one.id))
      : (row.place_ids as unknown[]).map(Number),
  owner: row.created_by,
  rule: 'places',
});

/** Random sends with recipients in some states. */
export const fillSends =
  (origin: string) =>
  async ({ db, dice, staff }: FillContext) => {
    for (const [index, { id, tenantId }] of staff.slice(0, 24).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO message_send (code, name, origin, tenant_id, category, template_id, content, title, body, channel_codes, audience, project_ids, place_ids, state, jump_type, created_by)
           SELECT $1, $2, $3, $4, $5, CASE WHEN $3 = 'staff' THEN (SELECT e.id FROM message_template e ORDER BY e.id LIMIT 1) END, '{}', 'x', 'x', $6, 'conditions',
                  coalesce(x.ids, '{}'), x.ids, $7, 'none', $8
             FROM (SELECT CASE WHEN $9 = 3 THEN NULL ELSE ARRAY(SELECT p.id FROM project p WHERE p.id % 3 = $9) END AS ids) x RETURNING id),
         runs AS (INSERT INTO message_run (send_id, run_on) SELECT id, current_date FROM made RETURNING id, send_id)
         INSERT INTO message_recipient (send_id, run_id, member_id, project_id, channel, state, reason, submitted_at)
         SELECT r.send_id, r.id, m.id, m.project_id, $10, CASE m.id % 4 WHEN 0 THEN 'failed' WHEN 1 THEN 'skipped' WHEN 2 THEN 'delivered' ELSE 'read' END,
                CASE m.id % 4 WHEN 0 THEN 'refused' WHEN 1 THEN 'capped' END, now()
           FROM runs r, member m WHERE m.id % 41 = $11`,
        [
          `MS${origin === 'staff' ? 'R' : 'P'}${index}`,
          `随机消息${index}`,
          origin,
          tenantId,
          dice.pick(['marketing', 'business', 'notice']),
          dice.pick([[1], [3], [1, 2]]),
          dice.pick(['draft', 'done', 'failed', 'cancelled', 'paused', 'reviewing']),
          id,
          index % 4,
          dice.pick([1, 2, 3]),
          index,
        ],
      );
  };

export const oracle = defineOracle({
  name: 'messageSend',
  menu: 'mm_sendMessage',
  table: 'message_send',
  standing: sendStanding,
  filters: {
    channels: {
      value: (dice) => dice.pick(['1', '2', '3', '2,3']),
      keeps: (row, value) =>
        (row.channel_codes as unknown[]).some((one) => value.split(',').includes(String(one))),
    },
    projects: {
      value: (dice, world) =>
        dice
          .some(world.rows.project!, 1 + dice.upTo(3))
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, _world, held) =>
        (row.project_ids as unknown[]).some(
          (one) =>
            value.split(',').includes(String(one)) && (!held.projects || held.projects.has(Number(one))),
        ),
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    values: [],
    channels: ['1'],
    audience: 'conditions',
    buildings: undefined,
    identities: undefined,
    grades: undefined,
    classes: undefined,
    weekDays: undefined,
    phones: undefined,
    excludedPhones: undefined,
    excludedIdentities: undefined,
    registeredFrom: undefined,
    registeredTo: undefined,
    activeFrom: undefined,
    activeTo: undefined,
    schedule: 'now',
    sendAt: undefined,
    atTime: undefined,
  }),
  fill: fillSends('staff'),
});
