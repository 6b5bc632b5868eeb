import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { submitApproval, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import {
  checkActivity,
  checkPrices,
  GROUP_BUY,
  sellableSpecs,
  type SpecFacts,
} from '../../../domain/group-buy/activity-input.server.ts';
import { noteActivity } from '../../../domain/group-buy/activity-log.server.ts';
import {
  endActivity,
  publishActivity,
  unpublishActivity,
} from '../../../domain/group-buy/activity.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { groupMaking } from './group-making.contract.ts';

/** Where an activity stands; items, teams and seats of it read it as `g`. */
export const activityScope = (alias: 't' | 'g'): ScopeColumns => ({
  tenant: `${alias}.tenant_id`,
  project: (ids) =>
    `EXISTS (SELECT FROM group_buy_project gp WHERE gp.group_buy_id = ${alias}.id AND gp.project_id = ANY(${ids}::bigint[]))`,
  owner: `${alias}.created_by`,
});

const teams = (state: string) =>
  `(SELECT count(*)::integer FROM group_buy_team x JOIN group_buy_item i ON i.id = x.item_id WHERE i.group_buy_id = t.id AND ${state})`;
const FORMED = `CASE WHEN t.mode = 'total' THEN (t.formed_at IS NOT NULL)::integer ELSE ${teams(`x.state = 'formed'`)} END`;
const FAILED = `CASE WHEN t.mode = 'total' THEN (t.state = 'ended' AND t.formed_at IS NULL AND EXISTS (
  SELECT FROM group_buy_member x JOIN group_buy_item i ON i.id = x.item_id WHERE i.group_buy_id = t.id AND x.joined_at IS NOT NULL))::integer
  ELSE ${teams(`x.state IN ('failed', 'disbanded') AND x.joined > 0`)} END`;
/** What an activity is at this moment. Source: group 16, status of group_buy. */
const STATUS = `CASE WHEN t.state = 'ended' OR t.ends_at <= now() THEN '5' WHEN t.state <> 'published' OR t.starts_at > now() THEN '1'
  WHEN NOT EXISTS (SELECT FROM group_buy_item i WHERE i.group_buy_id = t.id AND i.remaining > 0) THEN '4'
  WHEN t.formed_at IS NOT NULL OR ${teams(`x.state = 'formed'`)} > 0 THEN '3' ELSE '2' END`;

interface ItemInput {
  readonly spec: number;
  readonly price: number;
  readonly leaderPrice: number | null;
  readonly copies: number;
  readonly perMemberLimit: number;
}

/** What the form says of the activity, checked; kept until its items are written behind it. */
const itemsOf = new WeakMap<ActionContext, { specs: SpecFacts[]; items: ItemInput[] }>();

/** Activities with all their items; the same rows stand per item under group-buys of the mall. */
export const registration = bindResource(groupMaking, {
  table: 'group_buy',
  from: 'group_buy t LEFT JOIN tenant m ON m.id = t.tenant_id',
  scope: activityScope('t'),
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    size: 't.group_size',
    formFrom: 't.form_at_deadline_from',
    newMemberOnly: 't.new_member_only_join',
    items: `(SELECT coalesce(jsonb_agg(jsonb_build_object('spec', jsonb_build_object('id', i.spec_id::text, 'title', p.name || ' / ' || s.name),
        'price', i.price, 'leaderPrice', i.leader_price, 'copies', i.reserved, 'perMemberLimit', i.per_member_limit) ORDER BY i.id), '[]')
      FROM group_buy_item i JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id WHERE i.group_buy_id = t.id)`,
    products: '(SELECT count(*)::integer FROM group_buy_item i WHERE i.group_buy_id = t.id)',
    forming: `CASE WHEN t.mode = 'total' THEN 0 ELSE ${teams(`x.state = 'forming'`)} END`,
    formed: FORMED,
    failed: FAILED,
    successRate: `(SELECT to_char(n.ok * 100.0 / nullif(n.ok + n.off, 0), 'FM990.00') FROM (SELECT ${FORMED} AS ok, ${FAILED} AS off) n)`,
    paidAmount: `(SELECT coalesce(sum(o.payable), 0)::bigint FROM group_buy_member x JOIN group_buy_item i ON i.id = x.item_id
      JOIN sales_order o ON o.id = x.order_id WHERE i.group_buy_id = t.id AND x.joined_at IS NOT NULL)`,
    status: STATUS,
  },
  links: {
    projects: { table: 'group_buy_project', own: 'group_buy_id', other: 'project_id', to: 'project' },
  },
  writes: {
    size: 'group_size',
    formFrom: 'form_at_deadline_from',
    newMemberOnly: 'new_member_only_join',
    items: false,
  },
  codePrefix: 'GB',
  usedBy: { group_buy_item: false, group_buy_project: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM group_buy_project x WHERE x.group_buy_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  extra: { submittedBy: 't.submitted_by' },
  ruleReads: ['submittedBy', 'startsAt'],
  rowRules: {
    submit: (_row, caller) =>
      caller.tenantKind === 3
        ? ['平台的活动直接发布', 'Activities of the platform are published at once']
        : undefined,
    publish: (_row, caller) =>
      caller.tenantKind === 3
        ? undefined
        : ['商户的活动须提交审核', 'Activities of a merchant are submitted'],
    withdraw: (row, caller) =>
      Number(row.submittedBy) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
    unpublish: (row) =>
      new Date(String(row.startsAt)).getTime() > Date.now()
        ? undefined
        : ['活动已开始，不能取消发布', 'The activity has started'],
  },
  before: [check],
  after: [writeItems],
  handlers: { submit, withdraw, publish, unpublish, end, remove, products: opened, members: opened },
  present: (rows: DbRow[], _db, caller) => {
    for (const row of rows) {
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
      // A copy begins as a draft of its own; money inside rows travels as yuan.
      for (const item of (row.items ?? []) as DbRow[]) {
        item.price = yuanFromFen(Number(item.price));
        item.leaderPrice =
          item.leaderPrice === null || item.leaderPrice === undefined
            ? null
            : yuanFromFen(Number(item.leaderPrice));
      }
    }
    return Promise.resolve();
  },
}).registration;

function opened(): Promise<never> {
  // Pages open in the browser; nothing happens to the activity.
  return Promise.reject(ruleBroken(['请在页面中打开', 'It opens as a page']));
}

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  const before = row as Partial<DbRow>;
  const value = (field: string, column: string) => (field in input ? input[field] : before[column]);
  checkActivity({
    mode: value('mode', 'mode'),
    group_size: value('size', 'group_size'),
    form_at_deadline_from: value('formFrom', 'form_at_deadline_from'),
    starts_at: value('startsAt', 'starts_at'),
    ends_at: value('endsAt', 'ends_at'),
  });
  const items = (
    input.items === undefined ? await storedItems(tx, context.id) : input.items
  ) as readonly ItemInput[];
  const specs = await sellableSpecs(
    context,
    items.map((item) => Number(item.spec)),
  );
  const problem = itemProblem(specs, items);
  if (problem) throw invalid({ items: problem });
  const projects = (
    input.projects === undefined ? await storedProjects(tx, context.id) : (input.projects as unknown[])
  ).map(Number);
  if (input.projects !== undefined) requireProjectsInReach(caller, projects);
  const unsold = await runOne<{ name: string }>(
    tx,
    `SELECT p.name FROM product p WHERE p.id = ANY($1::bigint[]) AND EXISTS (
       SELECT FROM unnest($2::bigint[]) x WHERE x NOT IN (SELECT project_id FROM product_project WHERE product_id = p.id)) ORDER BY p.id LIMIT 1`,
    [specs.map((spec) => spec.product_id), projects],
  );
  if (unsold)
    throw invalid({
      projects: [
        `「${unsold.name}」不在所选的全部项目销售`,
        `“${unsold.name}” is not sold in all these projects`,
      ],
    });
  if (action === 'create') columns.tenant_id = specs[0]!.tenant_id;
  else if (specs[0]!.tenant_id !== row.tenant_id)
    throw invalid({ items: ['不能换成其他商户的商品', 'Not the goods of another merchant'] });
  if (input.items !== undefined) itemsOf.set(context, { specs, items: [...items] });
}

/** What is wrong with the rows of the form, with the row's number. */
function itemProblem(specs: readonly SpecFacts[], items: readonly ItemInput[]): Label | undefined {
  const seen = new Set<number>();
  for (const [index, spec] of specs.entries()) {
    const item = items[index]!;
    const at = `第 ${index + 1} 行`;
    if (spec.tenant_id !== specs[0]!.tenant_id)
      return [`${at}是其他商户的规格`, `Row ${index + 1} is another merchant’s`];
    if (seen.has(spec.id)) return [`${at}的规格重复`, `The spec of row ${index + 1} stands there twice`];
    seen.add(spec.id);
    try {
      checkPrices(spec.price, Number(item.price), item.leaderPrice == null ? null : Number(item.leaderPrice));
    } catch {
      return [
        `${at}：拼团价须低于原价 ${yuanFromFen(spec.price)}，团长价不高于拼团价`,
        `Row ${index + 1}: below the ordinary price ${yuanFromFen(spec.price)}, the leader’s not above it`,
      ];
    }
  }
  return undefined;
}

function storedItems(tx: Tx, id: number): Promise<ItemInput[]> {
  return run<ItemInput>(
    tx,
    `SELECT spec_id AS spec, price, leader_price AS "leaderPrice", reserved AS copies, per_member_limit AS "perMemberLimit"
       FROM group_buy_item WHERE group_buy_id = $1 ORDER BY id`,
    [id],
  );
}

async function storedProjects(tx: Tx, id: number): Promise<unknown[]> {
  const rows = await run<{ id: number }>(
    tx,
    'SELECT project_id AS id FROM group_buy_project WHERE group_buy_id = $1',
    [id],
  );
  return rows.map((one) => one.id);
}

/** Items of a draft are those of the form. */
async function writeItems(context: ActionContext, id: number): Promise<readonly []> {
  const given = itemsOf.get(context);
  if (!given) return [];
  const { tx, caller } = context;
  await run(tx, 'DELETE FROM group_buy_item WHERE group_buy_id = $1', [id]);
  for (const [index, spec] of given.specs.entries()) {
    const item = given.items[index]!;
    await insertRow(tx, 'group_buy_item', {
      group_buy_id: id,
      tenant_id: spec.tenant_id,
      product_id: spec.product_id,
      spec_id: spec.id,
      base_price: spec.price,
      price: item.price,
      leader_price: item.leaderPrice ?? null,
      reserved: item.copies,
      remaining: item.copies,
      per_member_limit: item.perMemberLimit,
      state: String(context.row.state ?? 'draft'),
      created_by: caller.staffId,
      updated_by: caller.staffId,
    });
  }
  return [];
}

/** Told to the items too: each is a row of the mall's group-buys. */
async function submit(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, facts } = context;
  if (new Date(String(row.ends_at)).getTime() <= Date.now())
    throw ruleBroken(['结束时间已过，请修改', 'The end has passed, please change it']);
  await submitApproval(
    tx,
    platform,
    {
      kind: GROUP_BUY,
      bizId: id,
      tenantId: caller.tenantId,
      title: [`拼团活动 ${String(row.name)}`, `Group buy ${String(row.name)}`],
      summary: [{ label: ['成团人数', 'Size'], value: [String(row.group_size), String(row.group_size)] }],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  await noteActivity(tx, id, {
    action: 'submit',
    label: ['提交审核', 'Submitted'],
    from: String(row.state),
    to: 'reviewing',
    caller,
  });
  return {
    to: 'reviewing',
    set: { state_reason: '', submitted_by: caller.staffId, submitted_at: new Date() },
  };
}

async function withdraw({ tx, platform, id, caller, facts }: ActionContext): Promise<void> {
  await withdrawApproval(tx, platform, { kind: GROUP_BUY, bizId: id, caller, facts, insideAction: true });
}

async function publish({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  await publishActivity(tx, id, caller.staffId);
  await noteActivity(tx, id, {
    action: 'publish',
    label: ['发布', 'Published'],
    from: String(row.state),
    to: 'published',
    caller,
  });
  return { to: 'published' };
}

async function unpublish({ tx, id, caller }: ActionContext): Promise<ActionResult> {
  await unpublishActivity(tx, id, caller.staffId);
  await noteActivity(tx, id, {
    action: 'unpublish',
    label: ['取消发布', 'Unpublished'],
    from: 'published',
    to: 'draft',
    caller,
  });
  return { to: 'draft' };
}

async function end({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  if (!(await endActivity(tx, id, { reason, staffId: caller.staffId })))
    throw ruleBroken(['活动已结束', 'The activity has ended']);
  await noteActivity(tx, id, {
    action: 'end',
    label: ['提前结束', 'Ended early'],
    from: 'published',
    to: 'ended',
    remark: reason,
    caller,
  });
  return { to: 'ended', remark: reason };
}

async function remove({ tx, id }: ActionContext): Promise<void> {
  await run(tx, 'DELETE FROM group_buy WHERE id = $1', [id]);
}
