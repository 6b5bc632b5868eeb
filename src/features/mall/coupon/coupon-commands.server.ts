import { randomUUID } from 'node:crypto';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { CODES_SOURCE } from '../../../domain/coupon/codes.server.ts';
import { recallUnused } from '../../../domain/coupon/claim.server.ts';
import {
  costCeiling,
  needsReview,
  percentOff,
  termsProblems,
  valueText,
} from '../../../domain/coupon/coupon.rules.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { ISSUED_MENU } from './issued-coupon.contract.ts';
import { COUPON_APPROVAL, termsOf } from './coupon-approval.server.ts';
import { askMerchants } from './coupon-reach.server.ts';

/** Most pieces of one coupon. */
const MOST = 1_000_000;

/** Fields that may change once a coupon was published: the total up, the end later, the cover. */
const LATER = new Set(['total', 'endsAt', 'cover']);
const FIXED: Label = ['发布后不能修改', 'Fixed once published'];
const REQUIRED: Label = ['此项必填', 'This field is required'];
const ENDED: Label = ['结束时间已过，请先延后', 'The end has passed, please put it off first'];
const OTHERS: Label = ['商户券只能选择本商户商品', "A merchant coupon covers this merchant's goods only"];

/** Looks at the values of the form: what a change leaves out counts as it stands. Source: group 08, mm_couponManagement, form. */
export async function checkCoupon(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  if (action === 'update' && row.status !== 'draft') checkLater(context);
  if (action === 'create') await chooseIssuer(context);
  const now: DbRow = { ...row, ...columns };
  if (now.type === 'cash') Object.assign(columns, { rate: null, max_discount: null });
  else columns.face = null;
  if (now.valid_kind === 'dates') columns.valid_days = null;
  Object.assign(now, columns);
  const problems: Record<string, Label> = {
    ...termsProblems({
      ...termsOf(now),
      confirmed: input.noThreshold === true || Number(row.threshold) === 0,
    }),
  };
  if (now.valid_kind === 'days' && !now.valid_days) problems.validDays = REQUIRED;
  const at = (value: unknown) => new Date(value as string | Date).getTime();
  if (at(now.ends_at) <= at(now.starts_at))
    problems.endsAt = ['结束时间须晚于开始时间', 'The end must lie behind the start'];
  if (now.claim_from && now.claim_to && at(now.claim_to) <= at(now.claim_from))
    problems.claimTo = ['领取结束须晚于领取开始', 'Claiming must end after it starts'];
  if (now.claim_from && at(now.claim_from) >= at(now.ends_at))
    problems.claimFrom = ['领取开始须早于结束时间', 'Claiming must start before the end'];
  const projects = (input.projects ?? []) as number[];
  if (projects.length > 0) {
    requireProjectsInReach(caller, projects);
    if (
      now.issuer === 'merchant' &&
      !(await allIn(tx, 'tenant_project', 'project_id', now.tenant_id, projects))
    )
      problems.projects = ['项目不在合作范围', 'A project is outside the agreement'];
  }
  await chooseScope(context, now, problems);
  if (action === 'update' && row.issuer === 'merchant' && Number(input.bearerPercent ?? 0) > 0)
    problems.bearerPercent = ['商户券由商户承担', 'A merchant coupon is borne by the merchant'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (action === 'update' && row.status !== 'draft' && Number(now.total) > Number(row.total)) {
    await requireReviewed(context, Number(now.total), 'total');
    await addBatch(tx, context.id, Number(now.total) - Number(row.total), caller.staffId);
  }
  if (input.cover)
    await checkAttachable(tx, caller, 'cover', [String(input.cover)], [String(row.cover_id ?? '')]);
  // What was decided was another version.
  if (action === 'update' && row.status === 'draft') columns.review_state = 'none';
}

function checkLater({ input, row, columns }: ActionContext): void {
  const problems: Record<string, Label> = {};
  const changed = (name: string, column: string) =>
    JSON.stringify(columns[column] ?? null) !== JSON.stringify(row[column] ?? null);
  for (const name of Object.keys(input))
    if (!LATER.has(name) && name !== 'noThreshold' && differs(name, input[name], row)) problems[name] = FIXED;
  if (columns.total !== undefined && changed('total', 'total')) {
    if (Number(columns.total) < Number(row.claimed))
      problems.total = ['总量不能少于已领数量', 'The total cannot be below what is claimed'];
    else if (Number(columns.total) < Number(row.total))
      problems.total = ['发布后总量只能增加', 'The total can only be raised once published'];
    else {
      const terms = termsOf({ ...row, ...columns });
      if (terms.budget !== null && Number(row.budget_booked) >= terms.budget)
        problems.total = ['预算已用完，不能增加', 'The budget is used up: no increase'];
    }
  }
  if (columns.ends_at !== undefined && new Date(columns.ends_at as string) < (row.ends_at as Date))
    problems.endsAt = ['发布后结束时间只能延后', 'The end can only be put off once published'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

const COLUMNS: Readonly<Record<string, string>> = {
  name: 'name',
  type: 'type',
  face: 'face',
  rate: 'rate',
  maxDiscount: 'max_discount',
  threshold: 'threshold',
  perLimit: 'per_limit',
  claimWay: 'claim_way',
  claimFrom: 'claim_from',
  claimTo: 'claim_to',
  validKind: 'valid_kind',
  validDays: 'valid_days',
  startsAt: 'starts_at',
  scope: 'scope',
  returnable: 'returnable',
  refundRule: 'refund_rule',
  budget: 'budget_fen',
  projects: 'project_ids',
};

/** Whether a value of the form is another one than that of the row: a form sends what it does not change, too. */
function differs(name: string, value: unknown, row: DbRow): boolean {
  const ids = (list: unknown) =>
    ((list ?? []) as unknown[])
      .map(Number)
      .sort((a, b) => a - b)
      .join(',');
  if (name === 'classes' || name === 'products')
    return ids(value) !== (row.scope === name ? ids(row.scope_ids) : '');
  const stored = row[COLUMNS[name]!];
  if (name === 'projects') return ids(value) !== ids(stored);
  if (stored instanceof Date)
    return value === null || new Date(value as string).getTime() !== stored.getTime();
  return String(value ?? '') !== String(stored ?? '');
}

/** Merchant staff make coupons of their own merchant whatever they send; others of the platform, or of a merchant they name. */
async function chooseIssuer({ columns, caller, input, tx }: ActionContext): Promise<void> {
  const merchantId =
    caller.tenantKind === 2 ? caller.tenantId : (input.merchant as number | null | undefined);
  // A form that asks whose coupon it is gets one of whom it names.
  if (input.issuer === 'merchant' && !merchantId) throw invalid({ merchant: REQUIRED });
  if (input.issuer === 'platform' && merchantId && caller.tenantKind !== 2)
    throw invalid({ merchant: ['平台券不选商户', 'A platform coupon has no merchant'] });
  columns.issuer = merchantId ? 'merchant' : 'platform';
  columns.bearer_platform_percent = merchantId ? 0 : (input.bearerPercent ?? 100);
  columns.tenant_id =
    merchantId ??
    (await runOne<{ id: number }>(tx, 'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1'))!.id;
}

async function chooseScope(
  { input, row, columns, tx, action }: ActionContext,
  now: DbRow,
  problems: Record<string, Label>,
): Promise<void> {
  const scope = now.scope as 'all' | 'classes' | 'products';
  if (scope === 'all') {
    columns.scope_ids = [];
    return;
  }
  const chosen = (input[scope] ??
    (action === 'update' && row.scope === scope ? row.scope_ids : [])) as number[];
  if (chosen.length === 0) problems[scope] = REQUIRED;
  columns.scope_ids = chosen;
  if (scope === 'products' && now.issuer === 'merchant' && chosen.length > 0) {
    const foreign = await runOne(
      tx,
      'SELECT 1 FROM product WHERE id = ANY($1::bigint[]) AND tenant_id <> $2',
      [chosen, now.tenant_id],
    );
    if (foreign) problems.products = OTHERS;
  }
}

async function allIn(
  tx: Tx,
  table: 'tenant_project',
  column: string,
  tenantId: unknown,
  ids: readonly number[],
): Promise<boolean> {
  const found = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM ${table} WHERE tenant_id = $1 AND ${column} = ANY($2::bigint[])`,
    [tenantId, ids],
  );
  return found!.n === new Set(ids).size;
}

const limitsOf = async ({ tx, platform }: Pick<ActionContext, 'tx' | 'platform'>) => ({
  percent: await platform.settings.numberIn(tx, 'coupon.merchant.review_percent'),
  budget: await platform.settings.numberIn(tx, 'coupon.merchant.review_budget'),
});

/** Nobody gets around the review by publishing few pieces and giving out more afterwards. */
async function requireReviewed(context: ActionContext, total: number, field: string): Promise<void> {
  const { row } = context;
  const before = costCeiling(termsOf(row));
  const after = costCeiling(termsOf({ ...row, total }));
  if (row.issuer !== 'merchant' || after <= before || after <= (await limitsOf(context)).budget) return;
  throw invalid({
    [field]: [
      '成本超过审核上限，请复制后提交审批',
      'Above the review limit: copy it and hand that in for review',
    ],
  });
}

/** Publishes, or hands a merchant coupon above the review limits in first. */
export async function publish(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, facts } = context;
  if ((row.ends_at as Date).getTime() <= Date.now()) throw ruleBroken(ENDED);
  if (row.status === 'off_shelf') {
    // What orders held while it was recalled and is free by now goes before it is given out again.
    if (row.recalled_at) await recallUnused(tx, id);
    return {
      to: Number(row.claimed) > 0 ? 'in_use' : 'published',
      set: { off_reason: '', recalled_at: null },
    };
  }
  const terms = termsOf(row);
  const limits = await limitsOf(context);
  if (row.issuer !== 'merchant' || !needsReview(terms, limits)) {
    await addBatch(tx, id, terms.total, caller.staffId);
    const isShared = row.issuer === 'platform' && Number(row.bearer_platform_percent) < 100;
    if (isShared) await askMerchants(tx, row);
    return { to: 'published', ...(isShared ? { set: { consent_needed: true } } : {}) };
  }
  const money = yuanFromFen(costCeiling(terms));
  const off = `${percentOff(terms).toFixed(1)}%`;
  // The platform decides, also where a merchant hands it in.
  const platformId = (await runOne<{ id: number }>(
    tx,
    'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  ))!.id;
  await run(tx, `UPDATE coupon SET review_state = 'waiting', review_by = $2 WHERE id = $1`, [
    id,
    caller.staffId,
  ]);
  await submitApproval(
    tx,
    platform,
    {
      kind: COUPON_APPROVAL,
      bizId: id,
      tenantId: platformId,
      title: [`优惠券 ${String(row.name)}`, `Coupon ${String(row.name)}`],
      summary: [
        { label: ['面值', 'Value'], value: valueText(terms) },
        { label: ['优惠力度', 'Per cent off'], value: [off, off] },
        { label: ['成本上限', 'Cost ceiling'], value: [`¥${money}`, `¥${money}`] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { to: 'draft', event: ['提交审批', 'Handed in for review'] };
}

/** Notes that so many pieces more were given out. */
export async function addBatch(
  tx: Tx,
  couponId: number,
  qty: number,
  staffId: number,
  reason = '',
): Promise<void> {
  await run(tx, 'INSERT INTO coupon_batch (coupon_id, qty, reason, created_by) VALUES ($1, $2, $3, $4)', [
    couponId,
    qty,
    reason,
    staffId,
  ]);
}

/** Hands a merchant coupon above the limits in for review; others are published without. */
export async function submit(context: ActionContext): Promise<ActionResult> {
  const result = await publish(context);
  if (result.to !== 'draft')
    throw ruleBroken(['不需要审批，请直接发布', 'It needs no review, please publish it']);
  return result;
}

/** Gives out further pieces of a coupon that is out. */
export async function raise(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const qty = Number(input.qty);
  const reason = String(input.reason);
  const total = Number(row.total) + qty;
  if (total > MOST) throw invalid({ qty: ['总量不能超过 1,000,000', 'The total cannot pass 1,000,000'] });
  if (row.budget_fen !== null && Number(row.budget_booked) >= Number(row.budget_fen))
    throw invalid({ qty: ['预算已用完，不能增加', 'The budget is used up: no increase'] });
  await requireReviewed(context, total, 'qty');
  await addBatch(tx, id, qty, caller.staffId, reason);
  return { set: { total }, remark: `+${qty} ${reason}` };
}

/** Starts the task that makes the codes of a coupon which are missing. */
export async function codes({ tx, id, row, caller, facts }: ActionContext): Promise<ActionResult> {
  await createExportTask(tx, caller, {
    source: CODES_SOURCE,
    menu: ISSUED_MENU,
    name: [`兑换码 ${String(row.name)}`, `Codes of ${String(row.name)}`],
    query: { coupon: String(id), batch: randomUUID() },
    language: facts.language,
    element: 'btn_batch',
  });
  return {};
}

/** Ends claiming; unused ones go on, or are recalled. */
export async function takeDown({ tx, id, input }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  if (input.recall !== true) return { set: { off_reason: reason }, remark: reason };
  const recalled = await recallUnused(tx, id);
  return {
    set: { off_reason: reason, recalled_at: new Date() },
    remark: `${reason}（收回未使用 ${recalled} 张）`,
    result: { recalled },
  };
}

/** A new draft with the same rules; dates that are over are left to be set. */
export async function copyCoupon({ tx, row, caller }: ActionContext): Promise<ActionResult> {
  const { id: _id, code: _code, version: _version, created_at: _at, updated_at: _changed, ...rest } = row;
  const suffix = '（副本）';
  const id = await insertRow(tx, 'coupon', {
    ...rest,
    code: await nextCode(tx, 'CP'),
    name: `${String(row.name).slice(0, 30 - suffix.length)}${suffix}`,
    status: 'draft',
    claimed: 0,
    used: 0,
    budget_booked: 0,
    budget_told_at: null,
    review_state: 'none',
    review_by: null,
    off_reason: '',
    recalled_at: null,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  return { result: { id: String(id) } };
}
