import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import {
  run,
  runOne,
  transaction,
  type Db,
  type Executor,
  type Tx,
} from '../../../kernel/server/database.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound, ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { submitApproval, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import {
  checkForReview,
  checkRules,
  closeSeckill,
  CLOSE_JOB,
  resumeSeckill,
} from '../../../domain/seckill/activity.server.ts';
import { claimIn, claimSeckill, type Claimed } from '../../../domain/seckill/claim.server.ts';
import { gradeOptions } from '../../../domain/grade/grade-options.server.ts';
import { checksOf } from '../../../domain/seckill/seckill-checks.server.ts';
import type { SeckillCheck } from '../../../domain/seckill/seckill.rules.ts';
import { equationsOf } from '../../../domain/seckill/verify.server.ts';
import { findMemberByPhone } from './claim-member.server.ts';
import { SECKILL_APPROVAL, seckillApproval } from './seckill-approval.server.ts';
import { seckillActivity, SECKILL_MENU } from './seckill.contract.ts';
import {
  checkForm,
  PRODUCT_PLACE,
  replaceGoods,
  SELLABLE,
  sessionProblem,
  writeGoods,
  type EntryInput,
} from './seckill-form.server.ts';
import { weekOf } from './seckill-calendar.server.ts';
import { liveOf, movementsOf } from './seckill-live.server.ts';
import { activitySight, FIGURES, FROM, SECKILL_SCOPE } from './seckill-scope.server.ts';

const sum = (what: string) =>
  `(SELECT coalesce(sum(${what}), 0) FROM seckill_item i WHERE i.activity_id = t.id)`;

const bound: BoundResource = bindResource(seckillActivity, {
  table: 'seckill_activity',
  from: `${FROM} LEFT JOIN grade w ON w.id = t.audience_grade_id`,
  scope: SECKILL_SCOPE,
  codePrefix: 'SK',
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    ...FIGURES,
    audienceGrade: { id: 't.audience_grade_id', title: 'w.title' },
    cover: 't.cover_id',
    // What fills other inputs of the form and is kept nowhere.
    sessionTools: 'NULL::json',
    priceTools: 'NULL::json',
    goods: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id::text, 'title', g.title) ORDER BY g.title), '[]') FROM (
      SELECT DISTINCT s.id, p.name || ' / ' || s.name AS title FROM seckill_item i JOIN product_spec s ON s.id = i.spec_id
        JOIN product p ON p.id = s.product_id WHERE i.activity_id = t.id) g)`,
    sessions: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', n.id::text, 'startsAt', n.starts_at, 'endsAt', n.ends_at) ORDER BY n.position), '[]')
      FROM seckill_session n WHERE n.activity_id = t.id)`,
    entries: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id::text, 'spec', jsonb_build_object('id', s.id::text, 'title', p.name || ' / ' || s.name),
        'sessionNo', e.session_no, 'price', (e.price::numeric / 100)::numeric(24, 2)::text, 'reserved', e.reserved,
        'perOrderLimit', e.per_order_limit, 'perMemberLimit', e.per_member_limit) ORDER BY e.position), '[]')
      FROM seckill_entry e JOIN product_spec s ON s.id = e.spec_id JOIN product p ON p.id = s.product_id WHERE e.activity_id = t.id)`,
    nextStart:
      '(SELECT min(n.starts_at) FROM seckill_session n WHERE n.activity_id = t.id AND n.starts_at > now() AND t.ended_at IS NULL)',
    sold: `${sum('i.sold')}::integer`,
    sellThrough: `(SELECT to_char(sum(i.sold) * 100.0 / nullif(sum(i.reserved), 0), 'FM990.00') FROM seckill_item i WHERE i.activity_id = t.id)`,
    paid: `(SELECT coalesce(sum(o.payable), 0)::bigint FROM seckill_claim c JOIN sales_order o ON o.id = c.order_id WHERE c.activity_id = t.id AND c.state = 'paid')`,
    discount: `${sum('(i.base_price - i.price) * i.sold')}::bigint`,
  },
  writes: {
    audienceGrade: 'audience_grade_id',
    cover: 'cover_id',
    sessions: false,
    entries: false,
    sessionTools: false,
    priceTools: false,
  },
  links: {
    projects: { table: 'seckill_project', own: 'activity_id', other: 'project_id', to: 'project' },
  },
  createDefaults: (_tx, caller) => Promise.resolve({ tenant_id: caller.tenantId }),
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM seckill_project x WHERE x.activity_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    goods: (value, parameters) =>
      `EXISTS (SELECT FROM seckill_item x WHERE x.activity_id = t.id AND x.spec_id::text = ANY(string_to_array(${parameters.bind(value)}, ',')))`,
  },
  extra: { submittedBy: 't.submitted_by', byPlatform: 't.paused_by_platform' },
  ruleReads: ['submittedBy', 'byPlatform'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.submittedBy) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
    resume: resumeRule,
  },
  before: [checkForm],
  after: [writeGoods],
  handlers: { submit, withdraw, retouch, pause, resume, end, cancel, purchase },
  detail: async (db, id, row) => ({ checks: await checksNow(db, id, String(row.state)) }),
  present: async (rows: DbRow[], db, caller) => {
    await showFiles(rows, db, 'cover');
    for (const row of rows)
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/seckillActivity/:id/claim',
      title: ['会员抢购', 'Claim for a member'],
      access: { program: 'member_order' },
      body: z.strictObject({
        sessionId: z.string().regex(/^\d{1,15}$/),
        itemId: z.string().regex(/^\d{1,15}$/),
        qty: z.number().int().min(1).max(9_999),
        memberId: z.string().regex(/^\d{1,15}$/),
        requestId: z.string().min(1).max(60),
        receiver: z.strictObject({
          name: z.string().trim().min(1).max(40),
          phone: z.string().regex(/^1\d{10}$/),
          regionId: z
            .string()
            .regex(/^\d{1,15}$/)
            .nullable()
            .default(null),
          address: z.string().trim().min(1).max(200),
        }),
      }),
      handle: async (call) => {
        const { sessionId, itemId, qty, memberId, requestId, receiver } = call.body;
        const most = await call.platform.settings.number('seckill.member.rate');
        if (tooFast(Number(memberId), most))
          throw tooMany(['操作过于频繁，请稍后再试', 'Too many tries, please wait a moment'], 1);
        const claimed = await claimSeckill(call.platform, {
          activityId: idOf(call.params.id),
          sessionId: Number(sessionId),
          itemId: Number(itemId),
          qty,
          memberId: Number(memberId),
          requestKey: `${call.caller.application?.clientId ?? ''}:${requestId}`.slice(0, 80),
          receiver: {
            ...receiver,
            regionId: receiver.regionId === null ? null : Number(receiver.regionId),
          },
          source: 1,
        });
        return wireClaim(claimed);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/seckillActivity/calendar',
      title: ['秒杀日历', 'Calendar of seckills'],
      access: { code: SECKILL_MENU },
      query: z.strictObject({ from: z.iso.date() }),
      handle: ({ platform, caller, query }) => weekOf(platform.database.db, caller, query.from),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/seckillActivity/prices',
      title: ['规格原价', 'Ordinary prices of specs'],
      access: { anyOf: [`${SECKILL_MENU}:btn_add`, `${SECKILL_MENU}:btn_edit`] },
      query: z.strictObject({ specs: z.string().regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/) }),
      handle: async ({ platform, caller, query }) => {
        const parameters = new Parameters();
        const rows = await run<{ id: number; price: number }>(
          platform.database.db,
          `SELECT s.id, s.price FROM product_spec s JOIN product t ON t.id = s.product_id JOIN business b ON b.id = t.business_id
            WHERE s.id = ANY(${parameters.bind(query.specs.split(',').map(Number))}::bigint[]) AND ${SELLABLE} AND ${placeCondition(caller, PRODUCT_PLACE, parameters)}`,
          parameters.values,
        );
        return Object.fromEntries(rows.map((row) => [row.id, yuanFromFen(row.price)]));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/seckillActivity/:id/live',
      title: ['秒杀实时看板', 'Live board of a seckill'],
      access: { code: SECKILL_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return liveOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/seckillActivity/:id/movements',
      title: ['秒杀库存流水', 'Stock movements of a seckill'],
      access: { code: SECKILL_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return movementsOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/seckillActivity/:id/verify',
      title: ['秒杀核对', 'Verify a seckill'],
      access: { code: `${SECKILL_MENU}:btn_verify` },
      body: z.strictObject({}),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return equationsOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/seckillActivity/check',
      title: ['检查秒杀草稿', 'Check a seckill before it is saved'],
      access: { code: `${SECKILL_MENU}:btn_edit` },
      body: z.strictObject({
        projects: z.array(z.string().regex(/^\d{1,15}$/)).max(200),
        sessions: z
          .array(
            z.strictObject({
              startsAt: z.iso.datetime({ offset: true }),
              endsAt: z.iso.datetime({ offset: true }),
            }),
          )
          .max(60),
        entries: z
          .array(
            z.strictObject({
              spec: z.string().regex(/^\d{1,15}$/),
              sessionNo: z.number().int().min(1).max(60).nullable(),
              price: z.number().int().min(1).max(99_999_999),
              reserved: z.number().int().min(1).max(999_999),
              perOrderLimit: z.number().int().min(1).max(9_999),
              perMemberLimit: z.number().int().min(1).max(9_999),
            }),
          )
          .max(100),
      }),
      handle: (call) =>
        tryDraft(call.platform.database.db, async (tx) => {
          const { projects, sessions, entries } = call.body;
          const wrong = sessionProblem(sessions);
          if (wrong) throw ruleBroken(wrong);
          const id = await draftOf(tx, call.caller, projects.map(Number));
          await replaceGoods(
            tx,
            call.caller,
            id,
            sessions,
            entries.map((entry): EntryInput => ({ ...entry, spec: Number(entry.spec) })),
          );
          const worst = (await runOne<{ fen: number }>(
            tx,
            'SELECT coalesce(sum((base_price - price) * reserved), 0)::float8 AS fen FROM seckill_item WHERE activity_id = $1',
            [id],
          ))!;
          return {
            checks: await checksOf(tx, id, await checkRules(tx, call.platform, 'submit')),
            worstCase: yuanFromFen(Math.max(0, worst.fen)),
          };
        }),
    }),
  ],
  also: {
    approvals: [seckillApproval],
    sights: [activitySight],
    options: [specOptions(), gradeOptions('seckillGrade', [SECKILL_MENU]), saleOptions()],
  },
});

/** Seckill activities. */
export const registration = bound.registration;

/** The bound resource, for screens over the same rows. */
export const boundSeckill = bound;

/** What the platform paused only the platform resumes. */
export function resumeRule(row: DbRow, caller: Caller) {
  return row.byPlatform && caller.tenantKind === 2
    ? (['平台暂停的活动需平台恢复', 'Paused by the platform'] as const)
    : undefined;
}

/** The checks of an activity as its state asks for them; none where it is over. */
export async function checksNow(db: Executor, id: number, state: string): Promise<readonly SeckillCheck[]> {
  const at =
    state === 'reviewing'
      ? 'publish'
      : state === 'draft' || state === 'rejected'
        ? 'submit'
        : state === 'paused'
          ? 'resume'
          : undefined;
  if (!at) return [];
  const rows = await run<{ key: string; value: unknown }>(
    db,
    `SELECT key, value FROM setting WHERE key IN ('seckill.lead_minutes', 'seckill.base_price.days')`,
  );
  const of = (key: string, standard: number) =>
    Number(rows.find((row) => row.key === key)?.value ?? standard);
  return checksOf(db, id, {
    at,
    leadMinutes: of('seckill.lead_minutes', 30),
    priceDays: of('seckill.base_price.days', 7),
  });
}

async function submit({ tx, platform, id, row, caller, facts }: ActionContext): Promise<ActionResult> {
  await checkForReview(tx, platform, id);
  await run(
    tx,
    `UPDATE seckill_activity SET submitted_by = $2, submitted_at = clock_timestamp(), state_reason = '' WHERE id = $1`,
    [id, caller.staffId],
  );
  const { copies } = (await runOne<{ copies: number }>(
    tx,
    'SELECT sum(reserved)::int AS copies FROM seckill_item WHERE activity_id = $1',
    [id],
  ))!;
  await submitApproval(
    tx,
    platform,
    {
      kind: SECKILL_APPROVAL,
      bizId: id,
      tenantId: caller.tenantId,
      title: [`秒杀活动 ${String(row.name)}`, `Seckill ${String(row.name)}`],
      summary: [{ label: ['总份数', 'Copies'], value: [String(copies), String(copies)] }],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {};
}

async function withdraw({ tx, platform, id, caller, facts }: ActionContext): Promise<void> {
  await withdrawApproval(tx, platform, {
    kind: SECKILL_APPROVAL,
    bizId: id,
    caller,
    facts,
    insideAction: true,
  });
}

/** Of a published activity only its name, cover and rules text may change; what is left empty stays. */
async function retouch({ tx, caller, row, input }: ActionContext): Promise<ActionResult> {
  const name = String(input.name);
  const rules = input.rulesText ? String(input.rulesText) : String(row.rules_text);
  const before = row.cover_id as string | null;
  const cover = input.cover ? String(input.cover) : before;
  if (input.cover) await checkAttachable(tx, caller, 'cover', [String(cover)], [String(before)]);
  return {
    set: { name, rules_text: rules, cover_id: cover },
    changes: [
      ...(name === row.name ? [] : [{ field: 'name', before: row.name, after: name }]),
      ...(cover === before ? [] : [{ field: 'cover', before, after: cover }]),
      ...(rules === row.rules_text ? [] : [{ field: 'rulesText', before: row.rules_text, after: rules }]),
    ],
  };
}

function pause({ input, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  return Promise.resolve({
    remark: reason,
    set: {
      state_reason: reason,
      paused_at: new Date(),
      paused_by: caller.staffId,
      paused_by_platform: caller.tenantKind !== 2,
      payment_stopped: input.stopPayment === true,
    },
  });
}

const GOES_ON = {
  paused_at: null,
  paused_by: null,
  paused_by_platform: false,
  payment_stopped: false,
} as const;

/** Resumes a paused activity. Source: group 16, mk_seckillActivityResume. */
export async function resume({ tx, platform, id, input }: ActionContext): Promise<ActionResult> {
  const to = await resumeSeckill(tx, platform, id, Number(input.extension ?? 0));
  return { to, remark: String(input.reason), set: { ...GOES_ON, state_reason: '' } };
}

/** Ends an activity before its time. */
export async function end({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  await closeSeckill(tx, id, { reason, staffId: caller.staffId });
  return { remark: reason, set: { ...GOES_ON, state_reason: reason, ended_at: new Date() } };
}

async function cancel(context: ActionContext): Promise<ActionResult> {
  const result = await end(context);
  // Unpaid orders close after this, each on its own: one that is being paid at this moment stands.
  await queueJob(context.tx, CLOSE_JOB, { activityId: context.id });
  return result;
}

/** Staff orders for a member who called. Source: group 16, btn_claim. */
async function purchase({ tx, platform, id, input, caller }: ActionContext): Promise<ActionResult> {
  const item = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM seckill_item WHERE id = $1 AND activity_id = $2',
    [input.item, id],
  );
  if (!item) throw ruleBroken(['商品不在该活动中', 'The item is not in this activity']);
  const member = await findMemberByPhone(platform, caller, String(input.memberPhone));
  const claimed = await claimIn(tx, platform, {
    activityId: id,
    itemId: item.id,
    qty: Number(input.qty),
    memberId: member,
    requestKey: `staff:${caller.staffId}:${randomUUID()}`,
    receiver: {
      name: String(input.receiver),
      phone: String(input.memberPhone),
      regionId: null,
      address: String(input.address),
    },
    source: 5,
    caller,
  });
  return { remark: claimed.orderCode, result: wireClaim(claimed) };
}

function wireClaim(claimed: Claimed) {
  return {
    claimId: String(claimed.claimId),
    orderId: String(claimed.orderId),
    orderCode: claimed.orderCode,
    qty: claimed.qty,
    price: yuanFromFen(claimed.price),
    amount: yuanFromFen(claimed.amount),
    payDeadline: claimed.payDeadline.toISOString(),
  };
}

/** Calls of members in the current second of this process. */
let tries = { second: 0, by: new Map<number, number>() };

function tooFast(memberId: number, most: number): boolean {
  const second = Math.floor(Date.now() / 1_000);
  if (tries.second !== second) tries = { second, by: new Map() };
  const count = (tries.by.get(memberId) ?? 0) + 1;
  tries.by.set(memberId, count);
  return count > most;
}

class Undone extends Error {
  constructor(readonly answer: unknown) {
    super('undone');
  }
}

/** Works in a transaction that is taken back whatever comes out. */
async function tryDraft<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    await transaction(db, async (tx) => {
      throw new Undone(await work(tx));
    });
  } catch (error) {
    if (error instanceof Undone) return error.answer as T;
    throw error;
  }
  throw notFound();
}

async function draftOf(tx: Tx, caller: Caller, projects: readonly number[]): Promise<number> {
  const row = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO seckill_activity (code, name, tenant_id) VALUES ($1, '-', $2) RETURNING id`,
    [`${await nextCode(tx, 'SK')}?`, caller.tenantId],
  ))!;
  await run(tx, 'INSERT INTO seckill_project SELECT $1, p.id FROM project p WHERE p.id = ANY($2::bigint[])', [
    row.id,
    projects,
  ]);
  return row.id;
}

/** Specs a seckill may sell: published goods the caller reaches. */
function specOptions(): OptionSource {
  return {
    target: 'seckillSpec',
    anyOf: [SECKILL_MENU],
    find: async (call, query) => {
      const parameters = new Parameters();
      const parts = [SELLABLE, placeCondition(call.caller, PRODUCT_PLACE, parameters)];
      if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(`t.status = 'published' AND s.enabled AND s.stock > 0`);
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; price: number; stock: number }>(
        call.platform.database.db,
        `SELECT s.id, t.name || ' / ' || s.name AS title, s.price, s.stock FROM product_spec s JOIN product t ON t.id = s.product_id
           JOIN business b ON b.id = t.business_id WHERE ${parts.join(' AND ')}
          ORDER BY t.name, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: textOf(
          [
            `¥${yuanFromFen(row.price)} · 库存 ${row.stock}`,
            `¥${yuanFromFen(row.price)} · stock ${row.stock}`,
          ],
          call.facts.language,
        ),
      }));
    },
  };
}

/** Items that can be claimed at this moment, of the activities the caller sees. */
function saleOptions(): OptionSource {
  return {
    target: 'seckillOnSale',
    anyOf: [`${SECKILL_MENU}:btn_claim`],
    find: async (call, query) => {
      const parameters = new Parameters();
      const parts = [
        `i.activity_id IN (SELECT t.id FROM seckill_activity t WHERE ${scopeCondition(call.caller, SECKILL_MENU, SECKILL_SCOPE, parameters)})`,
        query.ids.length > 0
          ? `i.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `i.state = 'running' AND i.starts_at <= now() AND i.ends_at > now()`,
      ];
      if (query.searchVal)
        parts.push(
          `lower(a.name || ' ' || p.name || ' ' || s.name) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
        );
      const rows = await run<{ id: number; title: string; activity: string; price: number; left: number }>(
        call.platform.database.db,
        `SELECT i.id, p.name || ' / ' || s.name AS title, a.name AS activity, i.price, i.remaining AS "left" FROM seckill_item i
           JOIN seckill_activity a ON a.id = i.activity_id JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
          WHERE ${parts.join(' AND ')} ORDER BY i.activity_id DESC, i.position, i.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: textOf(
          [
            `${row.activity} · ¥${yuanFromFen(row.price)} · 剩余 ${row.left}`,
            `${row.activity} · ¥${yuanFromFen(row.price)} · ${row.left} left`,
          ],
          call.facts.language,
        ),
      }));
    },
  };
}
