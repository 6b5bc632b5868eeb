import type { Label } from '../../../kernel/contract/label.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { submitApproval, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import {
  changeCopies,
  endActivity,
  extendActivity,
  publishActivity,
} from '../../../domain/group-buy/activity.server.ts';
import {
  checkActivity,
  checkPrices,
  GROUP_BUY,
  PRODUCT_PLACE,
  sellableSpecs,
} from '../../../domain/group-buy/activity-input.server.ts';
import { noteActivity } from '../../../domain/group-buy/activity-log.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { GROUP_SCOPE, activitySight, groupBuyApproval } from './group-buy-approval.server.ts';
import { groupBuyItem } from './group-buy.contract.ts';

const MENU = groupBuyItem.menu;
const teams = (state: string) =>
  `(SELECT count(*)::integer FROM group_buy_team x WHERE x.item_id = t.id AND ${state})`;
const FORMED = `CASE WHEN g.mode = 'total' THEN (g.formed_at IS NOT NULL)::integer ELSE ${teams(`x.state = 'formed'`)} END`;
const FAILED = `CASE WHEN g.mode = 'total' THEN (g.state = 'ended' AND g.formed_at IS NULL AND EXISTS (
  SELECT FROM group_buy_member x WHERE x.item_id = t.id AND x.joined_at IS NOT NULL))::integer
  ELSE ${teams(`x.state IN ('failed', 'disbanded') AND x.joined > 0`)} END`;
/** What an activity is at this moment; nothing but its own rows and the clock decides. Source: group 16, status of group_buy. */
const STATUS = `CASE WHEN t.state = 'ended' OR g.ends_at <= now() THEN '5' WHEN t.state <> 'published' OR g.starts_at > now() THEN '1'
  WHEN t.remaining = 0 THEN '4' WHEN g.formed_at IS NOT NULL OR EXISTS (SELECT FROM group_buy_team x WHERE x.item_id = t.id AND x.state = 'formed') THEN '3'
  ELSE '2' END`;

const bound = bindResource(groupBuyItem, {
  table: 'group_buy_item',
  from: `group_buy_item t JOIN group_buy g ON g.id = t.group_buy_id LEFT JOIN product p ON p.id = t.product_id
    LEFT JOIN product_spec s ON s.id = t.spec_id LEFT JOIN tenant m ON m.id = t.tenant_id`,
  scope: GROUP_SCOPE,
  search: `lower(g.code || ' ' || g.name || ' ' || p.name)`,
  columns: {
    code: 'g.code',
    name: 'g.name',
    spec: { id: 't.spec_id', title: `p.name || ' / ' || s.name` },
    productName: 'p.name',
    specName: 's.name',
    merchant: { id: 't.tenant_id', title: 'm.name' },
    projects: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id::text, 'title', x.name) ORDER BY x.id), '[]')
      FROM group_buy_project gp JOIN project x ON x.id = gp.project_id WHERE gp.group_buy_id = g.id)`,
    mode: 'g.mode',
    size: 'g.group_size',
    copies: 't.reserved',
    forming: `CASE WHEN g.mode = 'total' THEN 0 ELSE ${teams(`x.state = 'forming'`)} END`,
    formed: FORMED,
    failed: FAILED,
    successRate: `(SELECT to_char(n.ok * 100.0 / nullif(n.ok + n.off, 0), 'FM990.00') FROM (SELECT ${FORMED} AS ok, ${FAILED} AS off) n)`,
    validHours: 'g.valid_hours',
    formFrom: 'g.form_at_deadline_from',
    newMemberOnly: 'g.new_member_only_join',
    allowCoupon: 'g.allow_coupon',
    allowPoints: 'g.allow_points',
    allowCoin: 'g.allow_coin',
    startsAt: 'g.starts_at',
    endsAt: 'g.ends_at',
    status: STATUS,
    moreSpecs: `'[]'::jsonb`,
    stateReason: 'g.state_reason',
  },
  writes: {
    spec: 'spec_id',
    copies: 'reserved',
    name: false,
    projects: false,
    mode: false,
    size: false,
    validHours: false,
    formFrom: false,
    newMemberOnly: false,
    allowCoupon: false,
    allowPoints: false,
    allowCoin: false,
    startsAt: false,
    endsAt: false,
    moreSpecs: false,
  },
  unique: {
    group_buy_item_spec: ['该规格已在活动中', 'The spec is in the activity already'],
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM group_buy_project x WHERE x.group_buy_id = t.group_buy_id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  extra: { submittedBy: 'g.submitted_by' },
  ruleReads: ['submittedBy'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.submittedBy) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
  },
  before: [check],
  after: [addSpecs],
  handlers: { submit, withdraw, end },
  present: async (rows: DbRow[], _db, caller) => {
    for (const row of rows)
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
  },
  also: {
    approvals: [groupBuyApproval],
    sights: [activitySight],
    options: [specOptions()],
  },
});

/** Items of group-buys. */
export const registration = bound.registration;

/** The bound resource, for screens that show the same rows. */
export const boundGroupBuyItem = bound;

/** Specs a group-buy may sell: published goods of a group-buy business. */
function specOptions(): OptionSource {
  return {
    target: 'groupBuySpec',
    anyOf: [MENU, 'mk_makeGroup'],
    find: async (call, query) => {
      const parameters = new Parameters();
      const parts = [`t.kind = 'goods'`, placeCondition(call.caller, PRODUCT_PLACE, parameters)];
      if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else
        parts.push(
          `t.status = 'published' AND t.recycled_at IS NULL AND s.enabled AND b.type = 2 AND b.enabled`,
        );
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

interface ActivityRow {
  readonly id: number;
  readonly name: string;
  readonly mode: 'team' | 'total';
  readonly group_size: number;
  readonly valid_hours: number;
  readonly form_at_deadline_from: number | null;
  readonly new_member_only_join: boolean;
  readonly allow_coupon: boolean;
  readonly allow_points: boolean;
  readonly allow_coin: boolean;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly projects: readonly number[];
}

/** Fields of the form that belong to the activity, by column. */
const OF_ACTIVITY = {
  name: 'name',
  mode: 'mode',
  size: 'group_size',
  validHours: 'valid_hours',
  formFrom: 'form_at_deadline_from',
  newMemberOnly: 'new_member_only_join',
  allowCoupon: 'allow_coupon',
  allowPoints: 'allow_points',
  allowCoin: 'allow_coin',
  startsAt: 'starts_at',
  endsAt: 'ends_at',
} as const satisfies Readonly<Record<string, keyof ActivityRow>>;

async function check(context: ActionContext): Promise<void> {
  if (context.action === 'create') return createActivity(context);
  if (context.action === 'update')
    return context.row.state === 'published' ? changePublished(context) : changeDraft(context);
}

/** Values of the activity as the form leaves them. */
function merged(context: ActionContext, before: Partial<ActivityRow>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(OF_ACTIVITY)) {
    const given = context.input[field];
    values[column] = given === undefined ? before[column] : given;
  }
  values.new_member_only_join ??= false;
  values.allow_coupon ??= false;
  values.allow_points ??= false;
  values.allow_coin ??= false;
  return values;
}

/** Projects of the activity: those the caller works in, all of them with the goods. */
async function checkProjects(
  context: ActionContext,
  projects: readonly number[],
  productId: number,
): Promise<void> {
  requireProjectsInReach(context.caller, projects);
  const sold = await run<{ id: number }>(
    context.tx,
    'SELECT project_id AS id FROM product_project WHERE product_id = $1',
    [productId],
  );
  const held = new Set(sold.map((row) => row.id));
  if (projects.some((id) => !held.has(id)))
    throw invalid({
      projects: ['商品不在所选的全部项目销售', 'The goods are not sold in all these projects'],
    });
}

async function writeProjects(tx: Tx, activityId: number, projects: readonly number[]): Promise<void> {
  await run(tx, 'DELETE FROM group_buy_project WHERE group_buy_id = $1', [activityId]);
  await run(tx, 'INSERT INTO group_buy_project SELECT $1, unnest($2::bigint[])', [activityId, projects]);
}

async function createActivity(context: ActionContext): Promise<void> {
  const { tx, input, columns, caller } = context;
  const [spec] = await sellableSpecs(context, [input.spec as number]);
  const values = merged(context, {});
  values.name = (values.name as string | null) || spec!.name;
  checkActivity(values);
  checkPrices(spec!.price, input.price as number, (input.leaderPrice as number | null | undefined) ?? null);
  const projects = input.projects as number[];
  await checkProjects(context, projects, spec!.product_id);
  const id = await insertRow(tx, 'group_buy', {
    code: await nextCode(tx, 'GB'),
    ...values,
    tenant_id: spec!.tenant_id,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await writeProjects(tx, id, projects);
  Object.assign(columns, {
    group_buy_id: id,
    tenant_id: spec!.tenant_id,
    product_id: spec!.product_id,
    base_price: spec!.price,
    remaining: input.copies,
  });
}

async function load(tx: Tx, activityId: number): Promise<ActivityRow> {
  return (await runOne<ActivityRow>(
    tx,
    `SELECT g.*, ARRAY(SELECT p.project_id FROM group_buy_project p WHERE p.group_buy_id = g.id) AS projects
       FROM group_buy g WHERE g.id = $1 FOR UPDATE`,
    [activityId],
  ))!;
}

async function changeDraft(context: ActionContext): Promise<void> {
  const { tx, input, columns, row } = context;
  const activityId = Number(row.group_buy_id);
  const before = await load(tx, activityId);
  const values = merged(context, before);
  if (!values.name) values.name = before.name;
  checkActivity(values);
  const spec = (await runOne<{ price: number }>(tx, 'SELECT price FROM product_spec WHERE id = $1', [
    row.spec_id,
  ]))!;
  const price = (input.price as number | undefined) ?? Number(row.price);
  const leader = input.leaderPrice === undefined ? row.leader_price : input.leaderPrice;
  checkPrices(spec.price, price, leader === null ? null : Number(leader));
  columns.base_price = spec.price;
  if (input.copies !== undefined) columns.remaining = input.copies;
  if (input.projects !== undefined) {
    await checkProjects(context, input.projects as number[], Number(row.product_id));
    await writeProjects(tx, activityId, input.projects as number[]);
  }
  await run(
    tx,
    `UPDATE group_buy SET name = $2, mode = $3, group_size = $4, valid_hours = $5, form_at_deadline_from = $6, new_member_only_join = $7,
            allow_coupon = $8, allow_points = $9, allow_coin = $10, starts_at = $11, ends_at = $12, updated_at = now(), updated_by = $13, version = version + 1 WHERE id = $1`,
    [activityId, ...Object.values(OF_ACTIVITY).map((column) => values[column]), context.caller.staffId],
  );
}

const ONLY_LATER: Label = [
  '已发布的活动只能延后结束时间和增加份数',
  'A published activity only ends later or gets more copies',
];

/** Of a published activity only the end may move later and the copies up: members have bought at the rest. */
async function changePublished(context: ActionContext): Promise<void> {
  const { tx, input, columns, row, id, caller } = context;
  const activityId = Number(row.group_buy_id);
  const before = await load(tx, activityId);
  const same = (given: unknown, had: unknown) =>
    given === undefined ||
    (given ?? null) === (had ?? null) ||
    (had instanceof Date && new Date(String(given)).getTime() === had.getTime());
  for (const [field, column] of Object.entries(OF_ACTIVITY))
    if (field !== 'endsAt' && !same(input[field], before[column])) throw ruleBroken(ONLY_LATER);
  const projects = input.projects as number[] | undefined;
  const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b).join();
  if (
    (projects && sorted(projects) !== sorted(before.projects)) ||
    !same(input.price, Number(row.price)) ||
    !same(input.leaderPrice, row.leader_price === null ? null : Number(row.leader_price)) ||
    !same(input.perMemberLimit, row.per_member_limit) ||
    ((input.moreSpecs as unknown[] | null | undefined) ?? []).length > 0
  )
    throw ruleBroken(ONLY_LATER);
  const difference = input.copies === undefined ? 0 : Number(input.copies) - Number(row.reserved);
  if (difference < 0) throw ruleBroken(ONLY_LATER);
  if (input.endsAt !== undefined) await extendActivity(tx, activityId, new Date(String(input.endsAt)));
  // The copies move with their stock; what the action would write is written already.
  delete columns.reserved;
  await changeCopies(tx, id, difference, {
    changeKey: `${id}:${Number(row.version) + 1}`,
    reason: before.name,
    staffId: caller.staffId,
  });
}

/** Other specs of the same goods become further items of the activity. */
async function addSpecs(context: ActionContext, id: number): Promise<readonly []> {
  const more = (context.input.moreSpecs ?? []) as readonly { spec: number; price: number; copies: number }[];
  if (!['create', 'update'].includes(context.action) || more.length === 0) return [];
  const first = (await runOne<{
    group_buy_id: number;
    product_id: number;
    tenant_id: number;
    per_member_limit: number;
  }>(context.tx, 'SELECT * FROM group_buy_item WHERE id = $1', [id]))!;
  const specs = await sellableSpecs(
    context,
    more.map((line) => line.spec),
  );
  for (const [index, spec] of specs.entries()) {
    const line = more[index]!;
    const at = `第 ${index + 1} 行`;
    if (spec.product_id !== first.product_id)
      throw invalid({
        moreSpecs: [`${at}不是同一商品的规格`, `Row ${index + 1} is no spec of the same goods`],
      });
    if (line.price >= spec.price)
      throw invalid({
        moreSpecs: [
          `${at}团购价须低于原价 ${yuanFromFen(spec.price)}`,
          `Row ${index + 1}: below the ordinary price ${yuanFromFen(spec.price)}`,
        ],
      });
    await insertRow(context.tx, 'group_buy_item', {
      group_buy_id: first.group_buy_id,
      tenant_id: first.tenant_id,
      product_id: first.product_id,
      spec_id: spec.id,
      base_price: spec.price,
      price: line.price,
      reserved: line.copies,
      remaining: line.copies,
      per_member_limit: first.per_member_limit,
      state: String(context.row.state ?? 'draft'),
      created_by: context.caller.staffId,
      updated_by: context.caller.staffId,
    });
  }
  return [];
}

/** A merchant's activity goes to the platform's reviewers, the platform's own is published at once. */
async function submit(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, facts } = context;
  const activityId = Number(row.group_buy_id);
  if (caller.tenantKind === 3) {
    await publishActivity(tx, activityId, caller.staffId);
    await noteActivity(tx, activityId, { ...told('published'), caller, except: id });
    return { to: 'published', event: PUBLISHED };
  }
  const activity = await load(tx, activityId);
  if (activity.ends_at.getTime() <= Date.now())
    throw ruleBroken(['结束时间已过，请修改', 'The end has passed, please change it']);
  await run(
    tx,
    `UPDATE group_buy SET state = 'reviewing', state_reason = '', submitted_by = $2, submitted_at = now(), version = version + 1 WHERE id = $1`,
    [activityId, caller.staffId],
  );
  const title = `${activity.name}`;
  await submitApproval(
    tx,
    platform,
    {
      kind: GROUP_BUY,
      bizId: activityId,
      tenantId: caller.tenantId,
      title: [`拼团活动 ${title}`, `Group buy ${title}`],
      summary: [
        {
          label: ['成团人数', 'Size'],
          value: [String(activity.group_size), String(activity.group_size)],
        },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  await noteActivity(tx, activityId, { ...told('reviewing'), caller, except: id });
  return { to: 'reviewing' };
}

const PUBLISHED: Label = ['发布', 'Published'];

function told(to: 'published' | 'reviewing') {
  return {
    action: 'submit',
    label: to === 'published' ? PUBLISHED : (['提交审核', 'Submitted'] as const),
    from: 'draft',
    to,
  };
}

async function withdraw({ tx, platform, row, caller, facts }: ActionContext): Promise<void> {
  await withdrawApproval(tx, platform, {
    kind: GROUP_BUY,
    bizId: Number(row.group_buy_id),
    caller,
    facts,
    insideAction: true,
  });
}

async function end({ tx, row, id, input, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  const activityId = Number(row.group_buy_id);
  if (!(await endActivity(tx, activityId, { reason, staffId: caller.staffId })))
    throw ruleBroken(['活动已结束', 'The activity has ended']);
  await noteActivity(tx, activityId, {
    action: 'end',
    label: ['提前结束', 'Ended early'],
    from: 'published',
    to: 'ended',
    remark: reason,
    caller,
    except: id,
  });
  return { remark: reason };
}
