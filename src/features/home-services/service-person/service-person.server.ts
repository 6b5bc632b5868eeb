import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf, businessTimeText } from '../../../kernel/contract/time.rules.ts';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import { run, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { generatePassword, hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { OptionSource, Registration } from '../../../kernel/server/registration.ts';
import { requireFilesFit } from '../../../domain/content/file-size.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { personEndpoints } from './person-plan.server.ts';
import { clockText, minuteOf, type Hours } from './roster.rules.ts';
import { servicePerson } from './service-person.contract.ts';
import { commentScore } from '../../../domain/order-comment/comment-score.server.ts';
import { dayOf, TODAY } from '../../../kernel/server/today.ts';

const LIVE = `a.state IN ('held', 'to_accept', 'assigned', 'serving')`;
const NEXT_END = '(SELECT min(c.expires_on) FROM service_person_certificate c WHERE c.person_id = t.id)';
const CERTIFICATE = `CASE WHEN NOT EXISTS (SELECT FROM service_person_certificate c WHERE c.person_id = t.id) THEN 'none'
  WHEN ${NEXT_END} < ${TODAY} THEN 'expired' WHEN ${NEXT_END} <= ${TODAY} + 30 THEN 'expiring' ELSE 'valid' END`;

/** Where a person `t` stands: its merchant, and the projects it serves. */
export const PERSON_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM service_person_project x WHERE x.person_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

const personSight = listSight({
  entity: servicePerson.name,
  menu: servicePerson.menu,
  table: 'service_person',
  scope: PERSON_SCOPE,
});

const bound: BoundResource = bindResource(servicePerson, {
  table: 'service_person',
  from: 'service_person t LEFT JOIN tenant m ON m.id = t.tenant_id',
  scope: PERSON_SCOPE,
  search: 't.search',
  searchExact: ['t.phone'],
  columns: {
    photo: 't.photo_id',
    sex: 't.sex::text',
    merchant: { id: 't.tenant_id', title: 'm.name' },
    skill: `array_to_string(t.skills, ' ')`,
    certificate: CERTIFICATE,
    certificateImages: 't.certificate_image_ids',
    today: `(SELECT count(*)::integer FROM appointment a WHERE a.person_id = t.id AND (${LIVE} OR a.state = 'done') AND ${dayOf('a.starts_at')} = ${TODAY})`,
    monthDone: `(SELECT count(*)::integer FROM appointment a WHERE a.person_id = t.id AND a.state = 'done' AND ${dayOf('a.finished_at')} >= date_trunc('month', ${TODAY}))`,
    score: commentScore('c.person_id = t.id'),
  },
  links: {
    projects: { table: 'service_person_project', own: 'person_id', other: 'project_id', to: 'project' },
  },
  lines: { certificates: { table: 'service_person_certificate', own: 'person_id' } },
  writes: {
    photo: 'photo_id',
    merchant: 'tenant_id',
    certificateImages: 'certificate_image_ids',
    roster: false,
  },
  filters: {
    skill: (value, parameters) =>
      `EXISTS (SELECT FROM unnest(t.skills) AS s (skill) WHERE lower(s.skill) LIKE ${parameters.bind(containing(value.toLowerCase()))})`,
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM service_person_project x WHERE x.person_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  unique: {
    service_person_phone_taken: ['该手机号已登记为服务人员', 'The phone belongs to another service person'],
  },
  before: [check],
  checks: { disable: ({ tx, id }) => refuseLive(tx, id, undefined) },
  handlers: {
    create: async (context) => {
      return { result: await newPassword(context) };
    },
    stop: addStop,
    resetPassword: async (context) => ({ result: await newPassword(context) }),
  },
  present: show,
  endpoints: personEndpoints(() => bound),
  also: {
    options: [personOptions()],
    sights: [personSight],
    jobs: [
      {
        name: 'service.certificate_watch',
        title: ['服务人员证件到期提醒', 'Certificates of service people that end'],
        // 08:00 in Shanghai.
        cron: '0 0 * * *',
        run: async (_payload, platform) => {
          await transaction(platform.database.db, (tx) => watchCertificates(tx));
        },
      },
    ],
  },
});

/** People who visit. */
export const registration: Registration = bound.registration;

/** Hours of somebody new of whom none are named, as an import does. */
const USUAL_HOURS = JSON.stringify(
  [1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, from: 9 * 60, to: 18 * 60 })),
);

/** Fields that need a look: merchant of the caller, hours, projects of the merchant, pictures, certificate ends. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  let tenantId = row.tenant_id as number | undefined;
  if (action === 'create') {
    tenantId = caller.tenantKind === 2 ? caller.tenantId : (input.merchant as number | undefined);
    if (!tenantId) throw invalid({ merchant: ['请选择商户', 'Choose the merchant'] });
    columns.tenant_id = tenantId;
  }
  const roster = input.roster as readonly Hours[] | null | undefined;
  if (roster?.length === 0 || roster === null) {
    if (action === 'update') throw invalid({ roster: ['此项必填', 'This field is required'] });
    columns.roster = USUAL_HOURS;
  } else if (roster !== undefined) {
    const problem = rosterProblem(roster);
    if (problem) throw invalid({ roster: problem });
    columns.roster = JSON.stringify(
      roster.map((one) => ({
        weekday: Number(one.weekday),
        from: minuteOf(one.from),
        to: minuteOf(one.to),
      })),
    );
  } else if (action === 'create') columns.roster = USUAL_HOURS;
  if (Array.isArray(input.projects)) {
    requireProjectsInReach(caller, input.projects as number[]);
    const own = await run<{ id: number }>(
      tx,
      'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 AND project_id = ANY($2::bigint[])',
      [tenantId, input.projects],
    );
    if (own.length < new Set(input.projects as number[]).size)
      throw invalid({ projects: ['项目不在商户的合作范围', 'Not among the projects of the merchant'] });
  }
  await checkAttachable(
    tx,
    caller,
    'certificateImages',
    [
      ...(typeof input.photo === 'string' ? [input.photo] : []),
      ...((input.certificateImages as string[] | undefined) ?? []),
    ],
    [
      ...((row.certificate_image_ids as string[] | null) ?? []),
      ...(row.photo_id ? [String(row.photo_id)] : []),
    ],
  );
  if (typeof input.photo === 'string' && input.photo !== row.photo_id)
    await requireFilesFit(tx, 'photo', servicePerson.fields.photo, [input.photo]);
}

function rosterProblem(roster: readonly Hours[]): Label | undefined {
  for (const [index, one] of roster.entries()) {
    const n = index + 1;
    if (minuteOf(one.to) <= minuteOf(one.from))
      return [`第 ${n} 行结束须晚于开始`, `Row ${n}: the end must be after the beginning`];
    const clash = roster.findIndex(
      (other, at) =>
        at < index &&
        other.weekday === one.weekday &&
        minuteOf(other.from) < minuteOf(one.to) &&
        minuteOf(one.from) < minuteOf(other.to),
    );
    if (clash >= 0) return [`第 ${n} 行与第 ${clash + 1} 行重叠`, `Row ${n} overlaps row ${clash + 1}`];
  }
  return undefined;
}

/** A sign-in for the service app: random, told once, to be changed at the first sign-in. */
async function newPassword(context: ActionContext): Promise<{ password: string }> {
  const password = generatePassword();
  Object.assign(context.columns, {
    password_hash: await hashPassword(password),
    password_set_at: new Date(),
    must_change_password: true,
    activated: false,
  });
  if (context.action === 'resetPassword')
    await run(
      context.tx,
      `UPDATE service_person SET password_hash = $2, password_set_at = now(), must_change_password = true, activated = false WHERE id = $1`,
      [context.id, context.columns.password_hash],
    );
  return { password };
}

/** Live visits of a person, in a span or at all; refuses naming them. */
async function refuseLive(
  tx: Executor,
  personId: number,
  span: { readonly from: string; readonly to: string; readonly project: number | null } | undefined,
): Promise<void> {
  const rows = await run<{ code: string; starts_at: Date }>(
    tx,
    `SELECT a.code, a.starts_at FROM appointment a WHERE a.person_id = $1 AND ${LIVE}
        AND ($2::timestamptz IS NULL OR (a.period && tstzrange($2, $3) AND ($4::bigint IS NULL OR a.project_id = $4)))
      ORDER BY a.starts_at`,
    [personId, span?.from ?? null, span?.to ?? null, span?.project ?? null],
  );
  if (rows.length === 0) return;
  const named = rows.slice(0, 5).map((row) => `${row.code} ${businessTimeText(row.starts_at).slice(5, 16)}`);
  throw ruleBroken(
    [
      `还有 ${rows.length} 个未完成的预约：${named.join('、')}，请先改派或改约`,
      `${rows.length} visits are not done yet: ${named.join(', ')}. Reassign or move them first`,
    ],
    { appointments: rows.map((row) => row.code) },
  );
}

async function addStop(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller } = context;
  const span = {
    from: String(input.startsAt),
    to: String(input.endsAt),
    project: (input.project as number | null | undefined) ?? null,
  };
  if (Date.parse(span.to) <= Date.parse(span.from))
    throw invalid({ endsAt: ['结束须晚于开始', 'The end must be after the beginning'] });
  await refuseLive(tx, id, span);
  await run(
    tx,
    `INSERT INTO service_stop (person_id, project_id, period, reason, created_by)
     VALUES ($1, $2, tstzrange($3::timestamptz, $4::timestamptz), $5, $6)`,
    [id, span.project, span.from, span.to, String(input.reason), caller.staffId],
  );
  return { remark: String(input.reason) };
}

/** Tells the merchant's people 30 and 7 days before a needed certificate ends, and on the day after, once each. */
async function watchCertificates(tx: Tx): Promise<void> {
  const today = businessDayOf(new Date());
  for (const days of [30, 7, 0]) {
    const rows = await run<{
      person_id: number;
      name: string;
      certificate: string;
      tenant_id: number;
      ends: string;
    }>(
      tx,
      `UPDATE service_person_certificate c SET told_days = $1 FROM service_person p
        WHERE p.id = c.person_id AND p.enabled AND c.expires_on <= $2::date AND (c.told_days IS NULL OR c.told_days > $1)
          AND NOT EXISTS (SELECT FROM unnest($3::smallint[]) AS nearer (days) WHERE c.expires_on <= $4::date + nearer.days)
       RETURNING c.person_id, p.name, c.name AS certificate, p.tenant_id, c.expires_on::text AS ends`,
      [days, addDays(today, days), [7, 0].filter((nearer) => nearer < days), today],
    );
    for (const row of rows) {
      const staff = await run<{ id: number }>(
        tx,
        `SELECT id FROM staff WHERE tenant_id = $1 AND state = 'normal'`,
        [row.tenant_id],
      );
      await notify(tx, {
        kind: 'serviceCertificate',
        level: 'important',
        staffIds: staff.map((one) => one.id),
        rows: { sight: personSight, ids: [row.person_id] },
        title:
          days === 0
            ? ['服务人员证件已过期', 'A certificate has expired']
            : ['服务人员证件即将到期', 'A certificate ends soon'],
        body: [
          `${row.name} 的${row.certificate}有效期至 ${row.ends}`,
          `${row.certificate} of ${row.name} ends on ${row.ends}`,
        ],
        route: '/service/cs_busServicePerson',
      });
    }
  }
}

/** People as a field names them: those the caller sees. */
function personOptions(): OptionSource {
  return {
    target: 'servicePerson',
    anyOf: [servicePerson.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(caller, servicePerson.menu, PERSON_SCOPE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      const keyword = query.searchVal.trim().toLowerCase();
      if (keyword) parts.push(`t.search LIKE ${parameters.bind(containing(keyword))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, m.name AS note FROM service_person t JOIN tenant m ON m.id = t.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

async function show(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const files = await filesById(
    db,
    rows.flatMap((row) => [
      ...(row.photo ? [String(row.photo)] : []),
      ...((row.certificateImages as string[] | null) ?? []),
    ]),
  );
  for (const row of rows) {
    row.photo = row.photo ? (files.get(String(row.photo)) ?? null) : null;
    row.certificateImages = ((row.certificateImages as string[] | null) ?? []).flatMap((id): FileValue[] =>
      files.get(id) ? [files.get(id)!] : [],
    );
    row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    row.roster = ((row.roster ?? []) as readonly { weekday: number; from: number; to: number }[]).map(
      (one) => ({
        weekday: String(one.weekday),
        from: clockText(one.from),
        to: clockText(one.to),
      }),
    );
  }
}
