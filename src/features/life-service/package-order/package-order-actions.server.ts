import { plansOf, type Cancellation } from '../../../domain/life-service/package-order.rules.ts';
import {
  cancellationOf,
  issuePlan,
  lockOrderMoney,
  settleOrder,
  termAfterPayment,
  termsOfVersion,
  writeItems,
  type PackageOrderRow,
} from '../../../domain/life-service/package-order.server.ts';
import type { PackageTerms } from '../../../domain/life-service/package.rules.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { askForOrder } from './package-order-approval.server.ts';

/** The locked row as the commands of packages read it. */
export const orderOf = (row: DbRow, id: number): PackageOrderRow =>
  ({ ...row, id }) as unknown as PackageOrderRow;
const today = () => businessDayOf(new Date());

/** What is sold of a package now, in a project. */
export interface OnSale {
  readonly versionId: number;
  readonly tenantId: number;
  readonly price: number;
  readonly terms: PackageTerms;
}

/** The version a package is sold under in a project now; none where it is not on sale there. */
export async function onSale(
  db: Executor,
  packageId: number,
  projectId: number,
): Promise<OnSale | undefined> {
  return runOne<OnSale>(
    db,
    `SELECT v.id AS "versionId", p.tenant_id AS "tenantId", v.price, v.terms FROM service_package p
       JOIN LATERAL (SELECT id, price, terms FROM service_package_version WHERE package_id = p.id ORDER BY no DESC LIMIT 1) v ON TRUE
      WHERE p.id = $1 AND p.state = 'published'
        AND EXISTS (SELECT FROM service_package_project x WHERE x.package_id = p.id AND x.project_id = $2)`,
    [packageId, projectId],
  );
}

/** Whether a package is another merchant's than the caller's: merchants sell their own only. */
export const isForeign = (caller: Caller, sale: OnSale): boolean =>
  caller.tenantKind === 2 && sale.tenantId !== caller.tenantId;

/** A colleague who still works here. Throws 422 at the field. */
export async function requireColleague(
  { tx, caller }: Pick<ActionContext, 'tx' | 'caller'>,
  field: string,
  id: unknown,
): Promise<void> {
  const known = await runOne(
    tx,
    `SELECT id FROM staff WHERE id = $1 AND tenant_id = $2 AND state <> 'left'`,
    [id, caller.tenantId],
  );
  if (!known) throw invalid({ [field]: ['人员不存在或已离职', 'There is no such colleague'] });
}

/** Whether a discount needs somebody else's word: above the share of the price a setting names. */
async function needsApproval({ tx, platform, row }: ActionContext): Promise<boolean> {
  const bp = await platform.settings.numberIn(tx, 'package.discount_approval_bp', {
    projectId: Number(row.project_id),
  });
  const discount = Number(row.discount);
  return discount * 10_000 > bp * Number(row.price) && discount > Number(row.discount_passed);
}

const RUNNING = `('pending_first', 'to_start', 'in_service', 'paused')`;

/** A house has so many running orders of one package at most; what an order follows or replaces does not count. */
async function requireRoom(tx: Tx, row: DbRow, terms: PackageTerms): Promise<void> {
  if (terms.maxRunning === 0 || row.house_id === null) return;
  // Two confirmations for one house wait for each other.
  await run(tx, `SELECT pg_advisory_xact_lock(hashtextextended('package_order.house', $1))`, [row.house_id]);
  const others = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM package_order WHERE package_id = $1 AND house_id = $2 AND state IN ${RUNNING}
        AND id <> $3 AND id IS DISTINCT FROM $4 AND id IS DISTINCT FROM $5`,
    [row.package_id, row.house_id, row.id, row.renew_of, row.changed_from],
  );
  if (others!.n >= terms.maxRunning)
    throw ruleBroken([
      `该房屋在用订单已达上限 ${terms.maxRunning}`,
      `The house has ${terms.maxRunning} running orders already`,
    ]);
}

/** Issues the receivables of the plan; nothing to pay begins the term at once. */
export async function confirm(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, caller, platform } = context;
  if (await needsApproval(context))
    throw ruleBroken(['优惠超过审批标准，请先提交优惠审批', 'The discount needs approval first']);
  const order = orderOf(row, id);
  const terms = await termsOfVersion(tx, order.version_id);
  await requireRoom(tx, { ...row, id }, terms);
  const day = today();
  if (order.start_on === null && terms.startRule === 'fixed_date')
    throw ruleBroken(['请先填写开始日期', 'The start is missing']);
  if (order.start_on !== null && order.start_on < day && row.renew_of === null)
    throw ruleBroken(['开始日期已过，请修改', 'The start has passed, change it']);
  return begin(context, order, terms, day, staffIdOf(caller)).finally(() => tellReceivables(platform));
}

async function begin(
  { tx }: Pick<ActionContext, 'tx'>,
  order: PackageOrderRow,
  terms: PackageTerms,
  day: string,
  staffId: number | null,
): Promise<ActionResult & { readonly set: Readonly<Record<string, unknown>>; readonly to: string }> {
  await issuePlan(tx, order, day, staffId);
  if (order.total > 0) return { to: 'pending_first', set: { confirmed_at: new Date() } };
  const term = termAfterPayment(terms, order.start_on, day);
  return { to: term.to, set: { ...term.set, confirmed_at: new Date() } };
}

/** The first part came in: the term begins, or waits for its day or for the first use. */
export async function paid({ tx, row, id }: ActionContext): Promise<ActionResult> {
  const order = orderOf(row, id);
  const term = termAfterPayment(await termsOfVersion(tx, order.version_id), order.start_on, today());
  return { to: term.to, set: term.set };
}

/** Its day has come; an order that waits for its first use begins at the latest day. */
export async function start({ tx, row, id }: ActionContext): Promise<ActionResult> {
  const order = orderOf(row, id);
  if (order.start_on !== null) return {};
  const term = termAfterPayment(await termsOfVersion(tx, order.version_id), today(), today());
  return { set: term.set };
}

/** Hands a discount above the limit in. */
export async function askDiscount(context: ActionContext): Promise<ActionResult> {
  const { row } = context;
  if (!(await needsApproval(context))) throw ruleBroken(['该优惠无需审批', 'The discount needs no approval']);
  return askForOrder(context, 'discount', {
    amount: Number(row.discount),
    reason: String(row.discount_reason),
  });
}

const NO_USES: Label = ['剩余次数不足', 'No uses left'];

/** Counts a use; the last of all limited uses ends the order. */
export async function redeem(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, input, caller } = context;
  if (input.person) await requireColleague(context, 'person', input.person);
  const order = orderOf(row, id);
  const day = today();
  const usedOn = String(input.usedOn);
  const terms = await termsOfVersion(tx, order.version_id);
  if (usedOn > day) throw invalid({ usedOn: ['使用日期不能晚于今天', 'It cannot lie after today'] });
  const firstUse = order.state === 'to_start';
  if (firstUse && (terms.startRule !== 'first_use' || order.start_on !== null))
    throw ruleBroken(['服务尚未开始', 'The service has not begun']);
  const from = firstUse ? businessDayOf(row.confirmed_at as Date) : order.start_on!;
  if (usedOn < from)
    throw invalid({ usedOn: ['使用日期不能早于服务开始', 'It cannot lie before the service began'] });
  if (!firstUse && usedOn > order.end_on!)
    throw invalid({ usedOn: ['使用日期不能晚于服务结束', 'It cannot lie after the end of the term'] });
  const item = /^\d{1,15}$/.test(String(input.item)) ? Number(input.item) : 0;
  const qty = Number(input.qty);
  const known = await runOne<{ name: string }>(
    tx,
    'SELECT name FROM package_order_item WHERE id = $1 AND order_id = $2',
    [item, id],
  );
  if (!known) throw invalid({ item: ['请选择服务内容', 'Choose an item'] });
  const counted = await runOne(
    tx,
    `UPDATE package_order_item SET used = used + $2 WHERE id = $1 AND (times IS NULL OR used + $2 <= times) RETURNING id`,
    [item, qty],
  );
  if (!counted) throw ruleBroken(NO_USES);
  await insertRow(tx, 'package_usage', {
    order_id: id,
    item_id: item,
    qty,
    used_on: usedOn,
    person_id: input.person ?? null,
    note: input.note ?? '',
    created_by: staffIdOf(caller),
    updated_by: staffIdOf(caller),
  });
  const left = await runOne<{ open: boolean }>(
    tx,
    'SELECT bool_or(times IS NULL OR used < times) AS open FROM package_order_item WHERE order_id = $1',
    [id],
  );
  const set = firstUse ? termAfterPayment(terms, usedOn, usedOn).set : {};
  return { to: left!.open ? 'in_service' : 'finished', set, remark: `${known.name} ×${qty}` };
}

/** Rests on request: so many days of a term at most. */
export async function pause({ tx, row, id, input, platform, caller }: ActionContext): Promise<ActionResult> {
  const days = Number(input.days);
  const most = await platform.settings.numberIn(tx, 'package.pause_max_days', {
    projectId: Number(row.project_id),
  });
  const left = most - Number(row.paused_days);
  if (days > left)
    throw invalid({
      days: [
        `每个服务期最多暂停 ${most} 天，还可暂停 ${Math.max(0, left)} 天`,
        `${most} days of a term at most, ${Math.max(0, left)} are left`,
      ],
    });
  const day = today();
  await insertRow(tx, 'package_pause', {
    order_id: id,
    kind: 'request',
    reason: input.reason,
    from_on: day,
    created_by: staffIdOf(caller),
  });
  return {
    set: { pause_kind: 'request', paused_on: day, pause_until: addDays(day, days) },
    remark: `${days} 天 / days · ${String(input.reason)}`,
  };
}

/** Goes on: the term ends as much later as it rested, and so does what follows it. */
export async function resume({ tx, row, id }: ActionContext): Promise<ActionResult> {
  const order = orderOf(row, id);
  // A job that comes late does not give more than was asked for.
  const until = row.pause_until === null ? today() : [today(), String(row.pause_until)].sort()[0]!;
  const days = Math.max(0, daysBetween(order.paused_on!, until) - 1);
  await endPause(tx, id, days);
  if (days > 0)
    await run(
      tx,
      `UPDATE package_order SET start_on = start_on + $2::int, end_on = end_on + $2::int, version = version + 1, updated_at = now()
        WHERE renew_of = $1 AND state IN ('draft', 'pending_first', 'to_start') AND start_on = $3::date + 1`,
      [id, days, order.end_on],
    );
  return {
    set: {
      pause_kind: null,
      paused_on: null,
      pause_until: null,
      paused_days: order.paused_days + days,
      end_on: addDays(order.end_on!, days),
    },
    remark: `顺延 ${days} 天 / ${days} days later`,
  };
}

/** Rests while an instalment is long overdue; the end of the term stays. */
export async function suspend({ tx, id }: ActionContext): Promise<ActionResult> {
  const day = today();
  await insertRow(tx, 'package_pause', { order_id: id, kind: 'arrears', reason: '分期逾期', from_on: day });
  return { set: { pause_kind: 'arrears', paused_on: day, pause_until: null } };
}

/** Ends a rest that moved nothing. */
export async function unsuspend({ tx, id }: Pick<ActionContext, 'tx' | 'id'>): Promise<ActionResult> {
  await endPause(tx, id, 0);
  return { set: { pause_kind: null, paused_on: null, pause_until: null } };
}

async function endPause(tx: Tx, id: number, days: number): Promise<void> {
  await run(
    tx,
    `UPDATE package_pause SET to_on = (now() AT TIME ZONE 'Asia/Shanghai')::date, days = $2 WHERE order_id = $1 AND to_on IS NULL`,
    [id, days],
  );
}

/** A draft that follows: from the day after the end of a running one, at the full price of today. */
export async function renew({ tx, row, id, caller }: ActionContext): Promise<ActionResult> {
  const sale = await onSale(tx, Number(row.package_id), Number(row.project_id));
  if (!sale) throw ruleBroken(['套餐已不在售，不能续订', 'The package is not on sale any more']);
  const known = await runOne(
    tx,
    `SELECT id FROM package_order WHERE renew_of = $1 AND state <> 'cancelled'`,
    [id],
  );
  if (known) throw ruleBroken(['已有续订订单', 'It is renewed already']);
  const plans = plansOf(sale.terms);
  const made = await follow(tx, row, sale, {
    plan: plans.includes(String(row.plan)) ? String(row.plan) : plans[0]!,
    start_on: row.state === 'finished' ? null : addDays(String(row.end_on), 1),
    end_on: null,
    renew_of: id,
    staffId: staffIdOf(caller),
  });
  return { remark: made.code, result: { id: String(made.id), code: made.code } };
}

/** Another package instead: what is left goes into it, the old one ends in the same transaction. */
export async function change(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, input, caller, platform } = context;
  const order = orderOf(row, id);
  const packageId = Number(input.package);
  const sale = await onSale(tx, packageId, order.project_id);
  if (!sale || isForeign(caller, sale))
    throw invalid({ package: ['套餐在该项目不在售', 'Not on sale in the project'] });
  const plan = String(input.plan);
  if (!plansOf(sale.terms).includes(plan))
    throw invalid({ plan: ['该套餐没有此付款方式', 'The package has no such plan'] });
  const startOn = (input.startOn as string | null | undefined) ?? null;
  if (sale.terms.startRule === 'fixed_date' && (startOn === null || startOn < today()))
    throw invalid({ startOn: ['请填写不早于今天的开始日期', 'A start from today on is needed'] });
  const day = today();
  await lockOrderMoney(tx, id);
  const due = await cancellationOf(tx, order, day);
  const left = due.paid - due.used;
  const credit = Math.max(0, left);
  if (credit > sale.price)
    throw ruleBroken(['抵扣额大于新套餐价格，请先退订', 'Credit exceeds the new price; cancel instead']);
  const staffId = staffIdOf(caller);
  await settleOrder(tx, order, { dueBack: left, credited: true }, { today: day, staffId });
  const made = await follow(tx, { ...row, package_id: packageId }, sale, {
    plan,
    start_on: sale.terms.startRule === 'fixed_date' ? startOn : null,
    credit,
    changed_from: id,
    staffId,
  });
  const fresh = (await runOne<DbRow>(tx, 'SELECT * FROM package_order WHERE id = $1', [made.id]))!;
  await requireRoom(tx, fresh, sale.terms);
  const began = await begin(context, orderOf(fresh, made.id), sale.terms, day, staffId);
  const set = { ...began.set, state: began.to };
  const names = Object.keys(set);
  await run(
    tx,
    `UPDATE package_order SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')}, version = version + 1 WHERE id = $1`,
    [made.id, ...Object.values(set)],
  );
  await writeTimeline(tx, {
    entity: 'packageOrder',
    entityId: made.id,
    caller,
    action: 'confirm',
    label: ['换套餐生成', 'Made by a change'],
    from: 'draft',
    to: began.to,
    remark: `${order.code} · 抵扣 ${yuanFromFen(credit)} / credit ${yuanFromFen(credit)}`,
  });
  if (order.pause_kind !== null) await endPause(tx, id, 0);
  tellReceivables(platform);
  return {
    set: { ...CANCELLED, cancelled_on: day, cancel_reason: input.reason },
    remark: `${made.code} · ${String(input.reason)}`,
    result: { id: String(made.id), code: made.code },
  };
}

const CANCELLED = { pause_kind: null, paused_on: null, pause_until: null, frozen: false } as const;

async function follow(
  tx: Tx,
  row: DbRow,
  sale: OnSale,
  more: Readonly<Record<string, unknown>> & { readonly staffId: number | null; readonly credit?: number },
): Promise<{ readonly id: number; readonly code: string }> {
  const { staffId, credit = 0, ...columns } = more;
  const code = await nextCode(tx, 'SO');
  const same = [
    'payer_id',
    'client_id',
    'house_id',
    'project_id',
    'contact',
    'contact_phone',
    'seller_id',
    'package_id',
  ];
  const id = await insertRow(tx, 'package_order', {
    ...Object.fromEntries(same.map((column) => [column, row[column]])),
    ...columns,
    code,
    tenant_id: sale.tenantId,
    version_id: sale.versionId,
    price: sale.price,
    credit,
    total: sale.price - credit,
    created_by: staffId,
    updated_by: staffId,
  });
  await writeItems(tx, id, sale.terms);
  if (columns.renew_of)
    await writeTimeline(tx, {
      entity: 'packageOrder',
      entityId: id,
      action: 'renew',
      label: ['续订生成', 'Made by a renewal'],
      to: 'draft',
      remark: String(row.code),
    });
  return { id, code };
}

/** Ends the order by its calculation; a large refund waits for somebody else first. */
export async function cancel(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, input, platform } = context;
  const order = orderOf(row, id);
  await lockOrderMoney(tx, id);
  const due = await cancellationOf(tx, order, today());
  const limit = await platform.settings.numberIn(tx, 'package.cancel_approval_fen', {
    projectId: order.project_id,
  });
  const reason = String(input.reason);
  if (due.dueBack > limit) {
    const asked = await askForOrder(context, 'cancel', { amount: due.dueBack, reason });
    return {
      ...asked,
      set: { frozen: true },
      result: {
        said: '已提交退订审批，期间订单冻结',
        saidEn: 'Handed in for approval; the order is frozen meanwhile',
      },
    };
  }
  return endOrder(context, due, reason, today());
}

/** Carries a cancellation out that was agreed to, reckoned for the day it was asked for. */
export async function cancelApproved(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row } = context;
  const request = (await runOne<{ as_of: string; reason: string }>(
    tx,
    `SELECT as_of, reason FROM package_order_request WHERE order_id = $1 AND kind = 'cancel' AND state = 'passed' ORDER BY id DESC LIMIT 1`,
    [id],
  ))!;
  await lockOrderMoney(tx, id);
  return endOrder(
    context,
    await cancellationOf(tx, orderOf(row, id), request.as_of),
    request.reason,
    today(),
  );
}

async function endOrder(
  { tx, row, id, caller, platform }: ActionContext,
  due: Cancellation,
  reason: string,
  day: string,
): Promise<ActionResult> {
  const order = orderOf(row, id);
  const staffId = caller.staffId === 0 ? null : staffIdOf(caller);
  const back = await settleOrder(tx, order, due, { today: day, staffId });
  if (order.pause_kind !== null) await endPause(tx, id, 0);
  tellReceivables(platform);
  platform.changed('packageRefund');
  const money = yuanFromFen(Math.abs(due.dueBack));
  const said: Label =
    due.dueBack > 0
      ? [`已退订，应退 ${money}`, `Cancelled, ${money} to pay back`]
      : due.dueBack < 0
        ? [`已退订，结算补收 ${money}`, `Cancelled, ${money} still to be paid`]
        : ['已退订', 'Cancelled'];
  return {
    to: 'cancelled',
    set: { ...CANCELLED, cancelled_on: day, cancel_reason: reason, refund: back },
    remark: `${said[0]} / ${said[1]} · ${reason}`,
    result: { said: said[0], saidEn: said[1] },
  };
}

/** Nothing came in for the first part in time. */
export async function expire({ tx, row, id, platform }: ActionContext): Promise<ActionResult> {
  const order = orderOf(row, id);
  // What an earlier order left goes back.
  await lockOrderMoney(tx, id);
  const { dueBack } = await cancellationOf(tx, order, today());
  const back = await settleOrder(
    tx,
    order,
    // Also where the new package gives nothing back: it was never paid.
    { dueBack: Math.max(order.credit, dueBack) },
    { today: today(), staffId: null },
  );
  tellReceivables(platform);
  return { set: { cancelled_on: today(), cancel_reason: '首付超时', refund: back } };
}
