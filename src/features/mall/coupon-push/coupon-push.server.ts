import { approvable } from '../../../domain/approval/approvable.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { projectsInReach, requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { valueText, type CouponTerms } from '../../../domain/coupon/coupon.rules.ts';
import { couponPush, PUSH_MENU, type PushPreview } from './coupon-push.contract.ts';
import { PUSH_APPROVAL, pushApproval, pushSight, PUSH_SCOPE } from './push-approval.server.ts';
import { needOf, previewOf, writeItems } from './push-audience.server.ts';
import { readPhones } from './push-phones.rules.ts';
import { pushJob } from './push-run.server.ts';

const approval = approvable(PUSH_APPROVAL, { waiting: 'draft', passed: 'scheduled', refused: 'draft' });
const REQUIRED: Label = ['此项必填', 'This field is required'];
const IN_REVIEW: Label = ['审批中，不能操作', 'It is in review'];
const NOT_IN_REVIEW: Label = ['不在审批中', 'It is not in review'];

const free = (row: DbRow) => (row.reviewState === 'waiting' ? IN_REVIEW : undefined);
const count = (state: string) =>
  `(SELECT count(*)::int FROM coupon_push_item i WHERE i.push_id = t.id AND i.state = '${state}')`;
const named = (table: string, ids: string, title = 'x.name', joins = '') =>
  `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', ${title}) ORDER BY x.id), '[]') FROM ${table} x ${joins} WHERE x.id = ANY(${ids}))`;

const bound: BoundResource = bindResource(couponPush, {
  table: 'coupon_push',
  from: 'coupon_push t LEFT JOIN coupon c ON c.id = t.coupon_id LEFT JOIN product p ON p.id = t.product_id',
  scope: PUSH_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  codePrefix: 'CT',
  columns: {
    coupon: { id: 't.coupon_id', title: 'c.name' },
    product: { id: 't.product_id', title: 'p.name' },
    projects: named('project', 't.project_ids'),
    buildings: named(
      'building',
      't.building_ids',
      `y.name || ' ' || x.name`,
      'JOIN project y ON y.id = x.project_id',
    ),
    grades: named('grade', 't.grade_ids', 'x.title'),
    // Numbers of members are written, never read back.
    phones: 'NULL::text',
    excluded: 'NULL::text',
    succeeded: count('success'),
    failed: count('failed'),
  },
  writes: {
    phones: false,
    excluded: false,
    projects: 'project_ids',
    grades: 'grade_ids',
    buildings: 'building_ids',
  },
  abilities: [approval.ability],
  extra: { recorderId: 't.review_by' },
  ruleReads: ['recorderId', 'reviewState'],
  rowRules: {
    update: free,
    send: free,
    cancel: free,
    approve: (row) => (row.reviewState === 'waiting' ? undefined : NOT_IN_REVIEW),
    reject: (row) => (row.reviewState === 'waiting' ? undefined : NOT_IN_REVIEW),
    withdraw: (row, caller) =>
      row.reviewState !== 'waiting'
        ? NOT_IN_REVIEW
        : Number(row.recorderId) === caller.staffId
          ? undefined
          : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
  },
  before: [checkPush],
  after: [countPeople],
  handlers: { send, retry, finish },
  present: (rows, _db, caller) => {
    for (const row of rows) row.projects = projectsInReach(caller, (row.projects ?? []) as { id: string }[]);
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/couponPush/:id/preview',
      title: ['发券预览', 'Preview of a push'],
      access: { code: PUSH_MENU },
      handle: async (call): Promise<PushPreview> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return previewOf(call.platform.database.db, id);
      },
    }),
  ],
  also: {
    approvals: [pushApproval],
    sights: [pushSight],
    jobs: [pushJob(() => bound)],
    options: [couponOptions()],
  },
});

/** Pushes of coupons to chosen members. */
export const registration = bound.registration;

/** The audience is whole, inside the caller's reach, and the coupon can be given. What a change leaves out counts as it stands. */
async function checkPush({ action, input, row, columns, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  for (const [name, column] of [
    ['phones', 'phones'],
    ['excluded', 'excluded_phones'],
  ] as const) {
    const given = input[name];
    if (typeof given !== 'string' || given.trim() === '') continue;
    const read = readPhones(given);
    if ('problem' in read) problems[name] = read.problem;
    else columns[column] = read.phones;
  }
  const now: DbRow = { ...row, ...columns };
  const empty = (value: unknown) => !Array.isArray(value) || value.length === 0;
  if (now.audience === 'phones' && !problems.phones && empty(now.phones)) problems.phones = REQUIRED;
  if (now.audience === 'projects' && empty(now.project_ids)) problems.projects = REQUIRED;
  if (now.audience === 'grades' && empty(now.grade_ids)) problems.grades = REQUIRED;
  if (now.audience === 'buildings' && empty(now.building_ids)) problems.buildings = REQUIRED;
  if (now.audience === 'bought') {
    if (!now.product_id) problems.product = REQUIRED;
    if (!now.within_days) problems.withinDays = REQUIRED;
  }
  if (input.sendAt && new Date(input.sendAt as string).getTime() < Date.now())
    problems.sendAt = ['计划时间不能早于现在', 'The time lies in the past'];
  const couponId = Number(now.coupon_id);
  const [seen] = await findCoupons(tx, caller, { ids: [couponId], searchVal: '', offset: 0, limit: 1 });
  if (!seen) problems.coupon = ['没有此选项', 'There is no such choice'];
  else columns.tenant_id = seen.tenantId;
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, input.projects as number[]);
  if (Array.isArray(input.buildings) && input.buildings.length > 0) {
    const rows = await run<{ id: number }>(
      tx,
      'SELECT DISTINCT project_id AS id FROM building WHERE id = ANY($1::bigint[])',
      [input.buildings],
    );
    requireProjectsInReach(
      caller,
      rows.map((one) => one.id),
    );
  }
  if (input.product && caller.tenantKind === 2) {
    const own = await runOne(tx, 'SELECT 1 FROM product WHERE id = $1 AND tenant_id = $2', [
      input.product,
      caller.tenantId,
    ]);
    if (!own) problems.product = ['没有此选项', 'There is no such choice'];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  columns.reach_ids = caller.projectIds;
  if (action === 'update') columns.review_state = 'none';
}

/** A draft says how many it would reach. */
async function countPeople({ action, tx }: ActionContext, id: number): Promise<readonly []> {
  if (action === 'create' || action === 'update')
    await run(tx, 'UPDATE coupon_push SET people = $2 WHERE id = $1', [id, (await needOf(tx, id)).people]);
  return [];
}

/** Fixes who gets it, and hands it in where it may cost more than the limit. Source: group 08, mm_targetedCoupons. */
async function send({ tx, platform, id, row, caller, facts }: ActionContext): Promise<ActionResult> {
  await run(tx, 'SELECT 1 FROM coupon WHERE id = $1 FOR SHARE', [row.coupon_id]);
  const need = await needOf(tx, id);
  if (!need.givable) throw ruleBroken(['券已下架', 'The coupon is off shelf']);
  if (need.people === 0) throw ruleBroken(['没有匹配的会员', 'No member matches']);
  if (need.short > 0)
    throw ruleBroken([`券余量不足，还差${need.short}张`, `Not enough coupons left, ${need.short} short`]);
  const people = await writeItems(tx, id);
  const limit = await platform.settings.numberIn(tx, 'coupon.push.approve_limit');
  if (need.ceiling <= limit) return { to: 'scheduled', set: { people } };
  const money = yuanFromFen(need.ceiling);
  const platformId = (await runOne<{ id: number }>(
    tx,
    'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  ))!.id;
  await run(tx, `UPDATE coupon_push SET review_state = 'waiting', review_by = $2 WHERE id = $1`, [
    id,
    caller.staffId,
  ]);
  await submitApproval(
    tx,
    platform,
    {
      kind: PUSH_APPROVAL,
      bizId: id,
      tenantId: platformId,
      title: [`定向发券 ${String(row.name)}`, `Coupons sent: ${String(row.name)}`],
      summary: [
        { label: ['人数', 'People'], value: [String(people), String(people)] },
        { label: ['成本上限', 'Cost ceiling'], value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [String(row.reason), String(row.reason)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { to: 'draft', set: { people }, event: ['提交审批', 'Handed in for review'] };
}

/** Only rows that failed wait again. */
async function retry({ tx, id }: ActionContext): Promise<ActionResult> {
  const rows = await run(
    tx,
    `UPDATE coupon_push_item SET state = 'pending', done_at = NULL WHERE push_id = $1 AND state = 'failed' RETURNING id`,
    [id],
  );
  return { set: { finished_at: null }, remark: String(rows.length) };
}

/** Ends a push of which no row waits; refused while one does, the next run goes on. */
async function finish({ tx, id }: ActionContext): Promise<ActionResult> {
  const left = (await runOne<{ pending: number; failed: number }>(
    tx,
    `SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending, count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM coupon_push_item WHERE push_id = $1`,
    [id],
  ))!;
  if (left.pending > 0) throw ruleBroken(['仍在发送', 'It is still being sent']);
  return { to: left.failed > 0 ? 'part_failed' : 'done', set: { finished_at: new Date() } };
}

/** Coupons that can be given, with what is left; those named already keep their title. */
export async function findCoupons(
  db: Executor,
  caller: Caller,
  query: {
    readonly ids: readonly number[];
    readonly searchVal: string;
    readonly offset: number;
    readonly limit: number;
  },
) {
  const parameters = new Parameters();
  const parts = [
    placeCondition(
      caller,
      {
        tenant: 't.tenant_id',
        project: (ids) =>
          `(t.project_ids && ${ids}::bigint[] OR (t.project_ids = '{}' AND cardinality(${ids}::bigint[]) > 0))`,
      },
      parameters,
    ),
  ];
  if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids)}::bigint[])`);
  else parts.push(`t.status IN ('published', 'in_use') AND t.ends_at > now()`);
  if (query.searchVal)
    parts.push(
      `lower(t.code || ' ' || t.name) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
    );
  return run<
    Omit<CouponTerms, 'total' | 'budget'> & { id: number; name: string; left: number; tenantId: number }
  >(
    db,
    `SELECT t.id, t.name, t.total - t.claimed AS left, t.tenant_id AS "tenantId", t.type, t.face, t.rate, t.max_discount AS "maxDiscount", t.threshold
       FROM coupon t WHERE ${parts.join(' AND ')} ORDER BY t.created_at DESC, t.id DESC
      LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
    parameters.values,
  );
}

function couponOptions(): OptionSource {
  return {
    target: 'pushCoupon',
    anyOf: [PUSH_MENU, 'os_integralUser'],
    find: async ({ caller, platform, facts }, query) =>
      (await findCoupons(platform.database.db, caller, { ...query, ids: query.ids.map(Number) })).map(
        (row) => {
          const value = valueText(row)[facts.language === 'en' ? 1 : 0];
          return {
            id: String(row.id),
            title: row.name,
            note: facts.language === 'en' ? `${value} · ${row.left} left` : `${value} · 余${row.left}张`,
          };
        },
      ),
  };
}
