import { z } from 'zod';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { takeHandoverBack } from '../../../domain/property-staff/housekeeper.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { butlerHandover } from './information.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const APP_SCOPE = 'member_event';
const number = z.string().regex(/^\d{1,15}$/);
const among = (ids: string) => `t.project_ids && ${ids}::bigint[]`;

const bound: BoundResource = bindResource(butlerHandover, {
  table: 'housekeeper_handover',
  from: 'housekeeper_handover t LEFT JOIN housekeeper f ON f.id = t.from_id LEFT JOIN staff fs ON fs.id = f.staff_id LEFT JOIN housekeeper o ON o.id = t.to_id LEFT JOIN staff os ON os.id = o.staff_id',
  columns: {
    // A whole building by its name, parts by those of its units.
    place: `(SELECT string_agg(y.name, '、' ORDER BY y.name) FROM (SELECT CASE WHEN count(DISTINCT x.house_id) = (SELECT count(*) FROM house o JOIN building_unit w ON w.id = o.unit_id WHERE w.building_id = b.id)
         THEN b.name ELSE b.name || string_agg(DISTINCT u.name, '、') END AS name
       FROM housekeeper_handover_house x JOIN house h ON h.id = x.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
      WHERE x.handover_id = t.id GROUP BY b.id, b.name) y)`,
    from: { id: 't.from_id', title: 'fs.name' },
    to: { id: 't.to_id', title: 'os.name' },
    projects: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM project p WHERE p.id = ANY(t.project_ids))`,
  },
  filters: {
    projects: (value, parameters, caller) =>
      among(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  scope: { tenant: 'NULL::bigint', project: among, owner: 'fs.id' },
  extra: { started: `(t.starts_on <= ${TODAY})` },
  ruleReads: ['started'],
  rowRules: {
    cancel: (row) => (row.started ? ['交接已到生效日', 'The day of the handover has come'] : undefined),
  },
  handlers: {
    cancel: async ({ tx, id, caller, platform }) => {
      await takeHandoverBack(tx, id, caller.staffId);
      await tellBoth(tx, id, ['交接已取消', 'A handover was cancelled']);
      for (const name of ['housekeeper', 'butlerAssignment', 'housekeeperAssignment', 'butlerCoverage'])
        platform.changed(name);
    },
    take: async ({ tx, id }) => {
      await tellBoth(tx, id, ['交接已生效', 'A handover is in force']);
    },
  },
  present: (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/butlerInfo/app/card',
      title: ['App 管家名片', 'Card of a butler for the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({
        qr: z.string().max(64).optional(),
        houseId: number.optional(),
      }),
      handle: async ({ platform, query }) => {
        const row = await runOne<{
          id: number;
          name: string;
          phone: string;
          introduction: string;
          serviceHours: string;
          standInFor: string | null;
        }>(
          platform.database.db,
          `SELECT k.id, s.name, coalesce(nullif(k.contact_phone, ''), s.phone, '') AS phone, k.introduction, k.service_hours AS "serviceHours",
                  (SELECT m.name FROM housekeeper_house x JOIN housekeeper_building a ON a.id = x.assignment_id JOIN housekeeper f ON f.id = a.stands_for_id JOIN staff m ON m.id = f.staff_id
                    WHERE x.house_id = $2 AND x.housekeeper_id = k.id AND x.kind = 'stand_in' AND x.days @> ${TODAY} LIMIT 1) AS "standInFor"
             FROM housekeeper k JOIN staff s ON s.id = k.staff_id
            WHERE k.left_at IS NULL AND CASE WHEN $1::text IS NOT NULL THEN k.qr = $1 ELSE k.id = (SELECT x.housekeeper_id FROM housekeeper_house x
                    WHERE x.house_id = $2 AND x.days @> ${TODAY} ORDER BY x.kind = 'main', x.assignment_id DESC LIMIT 1) END`,
          [query.qr ?? null, query.houseId ? Number(query.houseId) : null],
        );
        if (!row) throw notFound();
        return { ...row, id: String(row.id) };
      },
    }),
  ],
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'butler.handover',
        title: ['管家交接生效', 'Handovers of butlers come into force'],
        // 00:00 in Shanghai.
        cron: '0 16 * * *',
        action: 'take',
        when: `t.starts_on <= ${TODAY}`,
      }),
    ],
  },
});

/** Handovers of butlers' houses. */
export const registration = bound.registration;

/** Both butlers learn of what became of a handover. */
async function tellBoth(tx: Tx, id: number, title: readonly [string, string]): Promise<void> {
  const told = await run<{ staffId: number; houses: number; date: string }>(
    tx,
    `SELECT k.staff_id AS "staffId", t.houses, t.starts_on::text AS date FROM housekeeper_handover t JOIN housekeeper k ON k.id IN (t.from_id, t.to_id) WHERE t.id = $1`,
    [id],
  );
  if (told.length === 0) return;
  const { houses, date } = told[0]!;
  await notify(tx, {
    kind: 'butler',
    staffIds: told.map((one) => one.staffId),
    title: [...title],
    body: [`${houses} 户，生效日 ${date}`, `${houses} houses, from ${date}`],
    aboutReceiver: true,
  });
}
