import {
  cancellationOf,
  endMoney,
  isSettled,
  issueDue,
  redateNodes,
  reprice,
  requireUnblocked,
  blockingPart,
  startNodes,
  startWarranty,
  quoteUnder,
  writeCheck,
  writeLines,
  writeRefundParts,
  type DecorOrderRow,
} from '../../../domain/furnishing/decor-order.server.ts';
import { SETTLEMENT_PERIOD } from '../../../domain/furnishing/decor-order.rules.ts';
import { sendEvent } from '../../../domain/message-send/send-event.server.ts';
import { readVersion } from '../../../domain/furnishing/decor-version.server.ts';
import { areaProblems, type Room } from '../../../domain/furnishing/rooms.rules.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';

/** The locked row as the commands of decor orders read it. */
export const orderOf = (row: DbRow, id: number): DecorOrderRow =>
  ({ ...row, id }) as unknown as DecorOrderRow;

const today = () => businessDayOf(new Date());
const staffOf = ({ caller }: ActionContext) => (caller.staffId === 0 ? null : staffIdOf(caller));

/** Nothing goes on while an instalment is overdue, unless the setting says otherwise or the desk lifted the block. */
async function mayGoOn(context: ActionContext, all = false): Promise<DecorOrderRow> {
  const order = orderOf(context.row, context.id);
  if (
    await context.platform.settings.flagIn(context.tx, 'decor.block_overdue', { projectId: order.project_id })
  )
    await requireUnblocked(context.tx, order, today(), all);
  return order;
}

/** Pictures that were handed in: enough of them, the caller's own. */
async function pictures(context: ActionContext, field: string, least = 1): Promise<readonly string[]> {
  const ids = (context.input[field] ?? []) as readonly string[];
  if (ids.length < least)
    throw invalid({ [field]: [`至少上传 ${least} 张照片`, `${least} photos at least`] });
  await checkPictures(context, field, ids);
  return ids;
}

/** Throws 422 at the field unless it names somebody of the row's merchant or of the caller who still works there. */
export async function requireColleague(
  { tx, input, row, caller }: Pick<ActionContext, 'tx' | 'input' | 'row' | 'caller'>,
  field: string,
): Promise<void> {
  const known = await runOne(
    tx,
    `SELECT id FROM staff WHERE id = $1 AND tenant_id IN ($2, $3) AND state <> 'left'`,
    [input[field], row.tenant_id, caller.tenantId],
  );
  if (!known) throw invalid({ [field]: ['人员不存在或已离职', 'There is no such colleague'] });
}

/** Staff of the merchant or of the caller who still work there. Throws 422 at the field. */
async function requirePeople(context: ActionContext): Promise<Record<string, unknown>> {
  const { input } = context;
  const set: Record<string, unknown> = {};
  for (const field of ['manager', 'designer', 'supervisor']) {
    const id = input[field];
    set[`${field}_id`] = id ?? null;
    if (!id) continue;
    await requireColleague(context, field);
  }
  if (set.manager_id === null) throw invalid({ manager: ['请选择项目经理', 'Choose a project manager'] });
  return set;
}

const APPROVAL: Label = ['优惠超过审批标准，请先提交优惠审批', 'The discount needs approval first'];

/** Whether the discount is above the share a setting names and nobody has agreed to it yet. */
export async function needsApproval({ tx, platform, row }: ActionContext): Promise<boolean> {
  const most = await platform.settings.numberIn(tx, 'decor.discount_percent', {
    projectId: Number(row.project_id),
  });
  const discount = Number(row.discount);
  return discount * 100 > most * Number(row.gross) && discount > Number(row.discount_passed);
}

/** The quote goes out: the deposit is asked for. */
export async function send(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, id } = context;
  if (await needsApproval(context)) throw ruleBroken(APPROVAL);
  const day = today();
  if (String(row.quote_until) < day)
    throw ruleBroken(['报价已过期，请重新报价', 'The quote is over, make a new one']);
  const hours = await platform.settings.numberIn(tx, 'decor.deposit_hours', {
    projectId: Number(row.project_id),
  });
  await issueDue(tx, orderOf(row, id), 'order', day, staffOf(context));
  tellReceivables(platform);
  await tellCustomer(context, 'decor_quote_sent', {
    price: yuanFromFen(Number(row.price)),
    until: String(row.quote_until),
  });
  const now = new Date();
  return { set: { sent_at: now, deposit_until: new Date(now.getTime() + hours * 3_600_000) } };
}

/** Tells the customer of an order by the template of a message event. */
async function tellCustomer(
  { tx, row, id }: ActionContext,
  event: string,
  variables: Readonly<Record<string, string>>,
  mark = '',
): Promise<void> {
  await sendEvent(tx, {
    event,
    memberIds: [Number(row.member_id)],
    variables: { order: String(row.code), ...variables },
    dedupKey: `${event}:${id}:${mark}`,
  });
}

/** The deposit came in: the merchant has so many hours to accept. */
export async function depositPaid({ tx, platform, row }: ActionContext): Promise<ActionResult> {
  const hours = await platform.settings.numberIn(tx, 'decor.accept_hours', {
    projectId: Number(row.project_id),
  });
  return { set: { accept_until: new Date(Date.now() + hours * 3_600_000) } };
}

export async function accept(context: ActionContext): Promise<ActionResult> {
  await mayGoOn(context);
  return { set: await requirePeople(context) };
}

export async function assign(context: ActionContext): Promise<ActionResult> {
  return { set: await requirePeople(context) };
}

/** Measured areas make the price anew; the deposit stays, later instalments follow. */
export async function measure(context: ActionContext): Promise<ActionResult> {
  const { tx, input, platform } = context;
  const order = await mayGoOn(context);
  const photos = await pictures(context, 'photos', 3);
  const built = String(input.builtArea);
  const inner = String(input.innerArea);
  const given = (input.rooms ?? []) as readonly Room[];
  const rooms =
    given.length > 0
      ? given.map((room) => ({ kind: room.kind, name: room.name, area: Number(room.area).toFixed(2) }))
      : order.rooms;
  const problems = areaProblems(rooms, inner, built);
  if (String(input.measuredOn) > today())
    problems.measuredOn = ['量房日期不能晚于今天', 'It cannot lie after today'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const version = (await readVersion(tx, order.version_id))!;
  const quote = quoteUnder(version, {
    houseTypeId: order.house_type_id,
    built,
    inner,
    rooms,
    chosen: order.options,
  })!;
  if (order.discount >= quote.gross)
    throw ruleBroken(['量房后价格低于优惠金额', 'The price as measured is below the discount']);
  const price = quote.gross - order.discount + order.changes;
  const refund = await changePrice(context, order, price);
  await writeLines(tx, order.id, version.name, quote.lines, order.discount);
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'measure',
    files: photos,
    note: `${built} / ${inner} m²`,
    staffId: staffOf(context),
  });
  tellReceivables(platform);
  const said = priceSaid(order.price, price, refund);
  return {
    set: {
      built_area: built,
      inner_area: inner,
      rooms: JSON.stringify(rooms),
      measured_on: input.measuredOn,
      gross: quote.gross,
      price,
      overpaid: order.overpaid + refund,
    },
    remark: said[0],
    result: { said: said[0], saidEn: said[1] },
  };
}

function priceSaid(before: number, after: number, refund: number): Label {
  const from = yuanFromFen(before);
  const to = yuanFromFen(after);
  const back = yuanFromFen(refund);
  return refund > 0
    ? [
        `总价 ${from} → ${to}，应退 ${back}，退款审核中`,
        `Price ${from} → ${to}, ${back} to pay back, in the refund audit`,
      ]
    : [`总价 ${from} → ${to}`, `Price ${from} → ${to}`];
}

/** Brings the plan to a new price and asks for the refund of what was paid above it; returns that, in fen. */
export async function changePrice(
  context: ActionContext,
  order: DecorOrderRow,
  price: number,
): Promise<number> {
  const { refund } = await reprice(context.tx, order, price, today());
  if (refund > 0) await askRefund(context, order, refund, '价格下调退款');
  return refund;
}

/** Asks for a refund of what was paid for an order: it goes through the refund audit, over the receipts, the latest first. */
export async function askRefund(
  { tx, platform, caller, facts }: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  order: Pick<DecorOrderRow, 'id' | 'sales_order_id'>,
  amount: number,
  reason: string,
  /** The case that decided it. */
  of: { readonly afterSaleId?: number; readonly liable?: 'merchant' | 'platform' } = {},
): Promise<{ readonly id: number; readonly code: string }> {
  const line = (await runOne<{ id: number }>(tx, 'SELECT id FROM order_line WHERE order_id = $1', [
    order.sales_order_id,
  ]))!;
  const made = await applyRefund(tx, {
    platform,
    ...(caller.staffId === 0 ? {} : { caller, facts }),
    // The policy decided: neither window nor level of the applicant is asked.
    system: true,
    applicantType: 2,
    orderId: order.sales_order_id!,
    lines: [{ lineId: line.id, amount }],
    reasonCode: 'other',
    reason,
    ...of,
  });
  await writeRefundParts(tx, { kind: 'decor', id: order.id }, made.id, amount);
  return made;
}

/** Drawings of a round; the customer agreed, or designing goes on. */
export async function design(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row } = context;
  const order = await mayGoOn(context);
  const drawings = await pictures(context, 'drawings');
  const agreed = input.accepted === true;
  const signature = (input.signature as string | null | undefined) ?? null;
  if (agreed && !signature) throw invalid({ signature: ['请上传客户签字', 'The signature is needed'] });
  if (signature) await checkAttachable(tx, context.caller, 'signature', [signature]);
  const round = Number(row.design_rounds) + 1;
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'design',
    round,
    files: drawings,
    signature,
    note: `${agreed ? '客户已确认' : '客户未确认'}${input.note ? ` · ${String(input.note)}` : ''}`,
    staffId: staffOf(context),
  });
  return {
    to: agreed ? 'signing' : 'designing',
    set: { design_rounds: round },
    remark: agreed
      ? `第 ${round} 轮确认 / agreed in round ${round}`
      : `第 ${round} 轮未确认 / not agreed in round ${round}`,
  };
}

/** The contract: planned days, and from now on the lines stand. */
export async function sign(context: ActionContext): Promise<ActionResult> {
  const { tx, input, platform } = context;
  const order = await mayGoOn(context);
  const from = String(input.plannedStart);
  const to = String(input.plannedEnd);
  if (to < from) throw invalid({ plannedEnd: ['竣工不能早于开工', 'The end lies before the start'] });
  await checkAttachable(tx, context.caller, 'contract', input.contract as string[]);
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'contract',
    files: input.contract as string[],
    note: `${from} – ${to}`,
    staffId: staffOf(context),
  });
  await issueDue(tx, order, 'signed', today(), staffOf(context));
  tellReceivables(platform);
  return { set: { signed_at: new Date(), planned_start: from, planned_end: to }, remark: `${from} – ${to}` };
}

/** The works begin: what was asked for so far is paid, nodes get their days, the next instalment falls due. */
export async function start(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, platform } = context;
  const order = await mayGoOn(context, true);
  const { days } = (await readVersion(tx, order.version_id))!;
  const day = today();
  const planned = String(row.planned_end);
  const end = planned > day ? planned : addDays(day, days - 1);
  await startNodes(tx, { ...order, id }, day, end);
  await issueDue(tx, order, 'started', day, staffOf(context));
  tellReceivables(platform);
  return { set: { started_on: day, planned_end: end } };
}

interface Node {
  readonly id: number;
  readonly seq: number;
  readonly name: string;
  readonly state: string;
  readonly rework_count: number;
  readonly done_by: number | null;
}

const currentNode = (context: ActionContext, states: readonly string[]) =>
  runOne<Node>(
    context.tx,
    'SELECT id, seq, name, state, rework_count, done_by FROM decor_node WHERE order_id = $1 AND state = ANY($2::text[]) ORDER BY seq LIMIT 1 FOR UPDATE',
    [context.id, states],
  );

/** The node under way, or in rework, is done: it waits for the supervisor. */
export async function nodeDone(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  const order = await mayGoOn(context);
  const node = await currentNode(context, ['doing', 'failed']);
  if (!node) throw ruleBroken(['节点待验收', 'The node waits for its check']);
  const photos = await pictures(context, 'photos');
  await run(
    tx,
    `UPDATE decor_node SET state = 'to_check', done_by = $2, done_at = now(), checked_by = NULL WHERE id = $1`,
    [node.id, staffIdOf(caller)],
  );
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'done',
    nodeId: node.id,
    round: node.rework_count + 1,
    files: photos,
    note: String(input.note ?? ''),
    staffId: staffIdOf(caller),
  });
  return {
    remark: node.name,
    result: {
      said: `「${node.name}」已完工，待监理验收`,
      saidEn: `“${node.name}” is done and waits for its check`,
    },
  };
}

/** The supervisor checks the node that is done; whoever did it does not. */
export async function checkNode(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller, row } = context;
  const order = await mayGoOn(context);
  const node = await currentNode(context, ['to_check']);
  if (!node) throw ruleBroken(['没有待验收的节点', 'No node waits for a check']);
  const me = staffIdOf(caller);
  if (node.done_by === me) throw ruleBroken(OWN_NODE);
  if (row.supervisor_id !== null && Number(row.supervisor_id) !== me) throw ruleBroken(NOT_SUPERVISOR);
  const photos = await pictures(context, 'photos', 2);
  const passed = input.result === 'passed';
  if (!passed && !input.note) throw invalid({ note: ['请说明不通过的原因', 'Say why it failed'] });
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'node',
    nodeId: node.id,
    round: node.rework_count + 1,
    result: passed ? 'passed' : 'failed',
    files: photos,
    note: String(input.note ?? ''),
    staffId: me,
  });
  if (!passed) {
    await run(
      tx,
      `UPDATE decor_node SET state = 'failed', checked_by = $2, rework_count = rework_count + 1 WHERE id = $1`,
      [node.id, me],
    );
    return {
      to: 'constructing',
      remark: `${node.name} 整改中 / rework · ${String(input.note)}`,
      result: { said: `「${node.name}」整改中`, saidEn: `“${node.name}” is in rework` },
    };
  }
  await run(
    tx,
    `UPDATE decor_node SET state = 'passed', checked_by = $2, finished_at = now() WHERE id = $1`,
    [node.id, me],
  );
  const next = await runOne<{ id: number }>(
    tx,
    `UPDATE decor_node SET state = 'doing' WHERE id = (SELECT id FROM decor_node WHERE order_id = $1 AND state = 'not_started' ORDER BY seq LIMIT 1) RETURNING id`,
    [context.id],
  );
  await issueDue(tx, order, `node:${node.seq}`, today(), me);
  tellReceivables(context.platform);
  await tellCustomer(context, 'decor_node_passed', { node: node.name }, String(node.seq));
  if (!next) await tellCustomer(context, 'decor_acceptance', {});
  return {
    to: next ? 'constructing' : 'accepting',
    remark: `${node.name} 通过 / passed`,
    result: { said: `「${node.name}」已通过`, saidEn: `“${node.name}” passed` },
  };
}

/** Refusals of a check. Source: group 14, four eyes. */
export const OWN_NODE: Label = ['不能验收自己完成的节点', 'You cannot check a node you finished'];
export const NOT_SUPERVISOR: Label = ['须由本单监理验收', 'The supervisor of the order checks it'];

/** The works are accepted, or go back with their defects. */
export async function acceptance(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row, caller, platform } = context;
  const order = await mayGoOn(context);
  const passed = input.result === 'passed';
  const signature = (input.signature as string | null | undefined) ?? null;
  const defects = (input.defects ?? []) as readonly Record<string, unknown>[];
  if (passed && !signature) throw invalid({ signature: ['请上传客户签字', 'The signature is needed'] });
  if (!passed && defects.length === 0) throw invalid({ defects: ['请填写问题', 'Write down the defects'] });
  if (signature) await checkAttachable(tx, caller, 'signature', [signature]);
  const photos = (input.photos ?? []) as string[];
  await checkPictures(context, 'photos', photos);
  const round = Number(row.accept_rounds) + 1;
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'final',
    round,
    result: passed ? 'passed' : 'failed',
    defects: passed ? [] : defects.map(({ room, text }) => ({ room, text })),
    files: photos,
    signature,
    staffId: staffOf(context),
  });
  if (!passed)
    return {
      to: 'reworking',
      set: { accept_rounds: round },
      remark: `第 ${round} 轮 ${defects.length} 项问题 / round ${round}: ${defects.length} defects`,
    };
  const day = today();
  await issueDue(tx, order, 'accepted', day, staffOf(context));
  await startWarranty(tx, order, day);
  tellReceivables(platform);
  return {
    to: (await isSettled(tx, order.id)) ? 'warranty' : 'tail_due',
    set: { accept_rounds: round, accepted_at: new Date() },
    remark: `第 ${round} 轮通过 / passed in round ${round}`,
  };
}

/** The defects are fixed: another round of acceptance. */
export async function refixed(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row } = context;
  const order = await mayGoOn(context);
  const photos = await pictures(context, 'photos');
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'refix',
    round: Math.max(1, Number(row.accept_rounds)),
    files: photos,
    note: String(input.note ?? ''),
    staffId: staffOf(context),
  });
  return {};
}

/** A change waits for the customer. */
export async function change(context: ActionContext): Promise<ActionResult> {
  const { tx, input, id } = context;
  const lines = input.lines as readonly { readonly name: string; readonly amount: number }[];
  const amount = lines.reduce((sum, line) => sum + Number(line.amount), 0);
  const days = Number(input.days ?? 0);
  if (amount === 0 && days === 0)
    throw invalid({ lines: ['金额与工期至少变更一项', 'Either the amount or the days change'] });
  const order = orderOf(context.row, id);
  if (order.price + amount < 0)
    throw invalid({ lines: ['变更后总价不能小于 0', 'The price would be below 0'] });
  const open = await runOne(
    tx,
    `SELECT id FROM decor_change WHERE order_id = $1 AND state IN ('draft', 'to_confirm')`,
    [id],
  );
  if (open) throw ruleBroken(['已有待确认的变更单', 'A change of it waits already']);
  const code = await nextCode(tx, 'DG');
  await insertRow(tx, 'decor_change', {
    code,
    order_id: id,
    title: lines
      .map((line) => line.name)
      .join('、')
      .slice(0, 60),
    amount,
    days,
    reason: input.reason,
    lines: JSON.stringify(lines.map((line) => ({ name: line.name, amount: Number(line.amount) }))),
    state: 'to_confirm',
    created_by: staffOf(context),
    updated_by: staffOf(context),
  });
  context.platform.changed('decorChange');
  return { remark: `${code} ${yuanFromFen(amount)} · ${String(input.reason)}`, result: { code } };
}

/** The desk lets an order go on once although an instalment is overdue. */
export async function unblock(context: ActionContext): Promise<ActionResult> {
  const order = orderOf(context.row, context.id);
  const seq = await blockingPart(context.tx, order, today());
  if (seq === undefined) throw ruleBroken(['没有逾期的分期款', 'No instalment is overdue']);
  return {
    set: { unblocked: [...order.unblocked, seq] },
    remark: `第 ${seq} 期 / instalment ${seq} · ${String(context.input.reason)}`,
    result: { seq: String(seq) },
  };
}

/** The works end later. */
export async function delay(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row } = context;
  const order = orderOf(row, context.id);
  const to = String(input.plannedEnd);
  if (to <= String(row.planned_end))
    throw invalid({ plannedEnd: ['须晚于原计划竣工', 'Later than planned before'] });
  await redateNodes(tx, order, to, today());
  await writeCheck(tx, {
    orderId: order.id,
    kind: 'delay',
    note: `${String(row.planned_end)} → ${to} · ${String(input.reason)}`,
    staffId: staffOf(context),
  });
  return { set: { planned_end: to }, remark: `${to} · ${String(input.reason)}` };
}

/** Ends the order by the policy of its version; what is to go back goes through the refund audit. */
export async function cancel(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row, id, platform } = context;
  const order = orderOf(row, id);
  const reason = String(input.reason);
  const closed = { closed_at: new Date(), close_reason: reason.slice(0, 200) };
  if (order.state === 'quoting')
    return { set: closed, remark: reason, result: { said: '已取消', saidEn: 'Cancelled' } };
  const due = (await cancellationOf(tx, order))!;
  const waived = input.waive === true;
  await run(
    tx,
    `UPDATE decor_change SET state = 'void', version = version + 1, updated_at = now() WHERE order_id = $1 AND state IN ('draft', 'to_confirm')`,
    [id],
  );
  await endMoney(tx, order, waived ? 0 : due.rest, { today: today(), staffId: staffOf(context) });
  if (due.refund > 0) await askRefund(context, order, due.refund, reason);
  tellReceivables(platform);
  platform.changed('decorChange');
  const kept = yuanFromFen(due.kept);
  const said: Label =
    due.refund > 0
      ? [
          `已取消，保留 ${kept}，退款 ${yuanFromFen(due.refund)} 审核中`,
          `Cancelled, ${kept} kept, ${yuanFromFen(due.refund)} in the refund audit`,
        ]
      : due.rest > 0 && !waived
        ? [
            `已取消，结算补收 ${yuanFromFen(due.rest)}`,
            `Cancelled, ${yuanFromFen(due.rest)} still to be paid`,
          ]
        : ['已取消', 'Cancelled'];
  return {
    set: { ...closed, kept: due.kept },
    remark: `${said[0]} · ${reason}${waived && due.rest > 0 ? ` · 免收 ${yuanFromFen(due.rest)}` : ''}`,
    result: { said: said[0], saidEn: said[1] },
  };
}

/** SQL: fen of an order (`t`) that are due back and neither went back nor are on their way, as its audit rejected them. */
export const REFUND_OPEN = `(CASE WHEN t.sales_order_id IS NULL THEN 0 ELSE
  CASE WHEN t.state = 'closed' THEN (SELECT o.payable FROM sales_order o WHERE o.id = t.sales_order_id) - t.kept
         - coalesce((SELECT sum(r.received) FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = t.id AND r.period_no = ${SETTLEMENT_PERIOD}), 0)
       ELSE t.overpaid END
  - coalesce((SELECT sum(f.cash) FROM refund f WHERE f.order_id = t.sales_order_id AND f.state <> 'cancelled' AND f.after_sale_id IS NULL), 0) END)::bigint`;

/** Asks for a refund again that the audit rejected. */
export async function refundAgain(context: ActionContext): Promise<ActionResult> {
  const { open } = (await runOne<{ open: number }>(
    context.tx,
    `SELECT ${REFUND_OPEN} AS open FROM decor_order t WHERE t.id = $1`,
    [context.id],
  ))!;
  if (open <= 0) throw ruleBroken(['没有待申请的退款', 'Nothing is left to pay back']);
  await askRefund(context, orderOf(context.row, context.id), open, '重新申请退款');
  return { remark: yuanFromFen(open) };
}

/** Nothing came in for the deposit in time. */
export async function expireDeposit(context: ActionContext): Promise<ActionResult> {
  await endMoney(context.tx, orderOf(context.row, context.id), 0, { today: today(), staffId: null });
  tellReceivables(context.platform);
  return { set: { closed_at: new Date(), close_reason: '定金超时未付' } };
}
