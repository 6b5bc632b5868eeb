import { z } from 'zod';
import {
  cancellationOf,
  quoteUnder,
  writeLines,
  writePlan,
  type DecorOrderRow,
} from '../../../domain/furnishing/decor-order.server.ts';
import { readVersion, type StoredVersion } from '../../../domain/furnishing/decor-version.server.ts';
import { instalments, optionLine, type ChosenOption } from '../../../domain/furnishing/price.rules.ts';
import type { Room } from '../../../domain/furnishing/rooms.rules.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Registration, type TodoKind } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  accept,
  acceptance,
  assign,
  cancel,
  change,
  checkNode,
  delay,
  depositPaid,
  design,
  expireDeposit,
  measure,
  nodeDone,
  NOT_SUPERVISOR,
  OWN_NODE,
  refixed,
  REFUND_OPEN,
  refundAgain,
  send,
  sign,
  start,
  unblock,
} from './decor-order-actions.server.ts';
import { askDiscount, decorApprovals } from './decor-order-approval.server.ts';
import { bookOf } from './decor-order-book.server.ts';
import { decorInvariants } from './decor-order-invariants.server.ts';
import { ACCEPT_LATE, decorJobs } from './decor-order-jobs.server.ts';
import {
  DECOR_SCOPE,
  decorHouses,
  decorMembers,
  decorOnSale,
  decorOrderSight,
  decorSales,
  sellsIn,
} from './decor-order-scope.server.ts';
import { DECOR_MENU, decorOrder } from './decor-order.contract.ts';
import type {
  DecorBook,
  DecorCancelText,
  DecorFigures,
  DecorPreview,
  DecorTerms,
} from './decor-order-wire.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/decorOrder';
const OPEN = `r.source_kind = 'decor' AND r.source_id = t.id AND r.state IN ('open', 'part')`;
const OVERDUE = `EXISTS (SELECT FROM receivable r WHERE ${OPEN} AND r.due_on < ${TODAY})`;
const LATE = `EXISTS (SELECT FROM decor_node n WHERE n.order_id = t.id AND n.state <> 'passed' AND n.planned_to < ${TODAY} AND t.state = 'constructing')`;
const OWED = `EXISTS (SELECT FROM receivable r WHERE ${OPEN} AND r.principal + r.charges > r.received)`;
const SIGNED = `(t.signed_at IS NOT NULL AND t.state <> 'closed')`;
const RUNNING = `('to_accept', 'measuring', 'designing', 'signing', 'to_start')`;
const node = (what: string) =>
  `(SELECT ${what} FROM decor_node n WHERE n.order_id = t.id AND n.state <> 'passed' AND t.state = 'constructing' ORDER BY n.seq LIMIT 1)`;

const BY_DESK: Label = ['请联系平台处理', 'The desk does this'];
const FINISHED_WORKS: Label = ['已竣工，请走售后', 'Works finished, use after-sales'];

const bound: BoundResource = bindResource(decorOrder, {
  table: 'decor_order',
  from: `decor_order t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN house h ON h.id = t.house_id
    LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id LEFT JOIN house_type y ON y.id = t.house_type_id
    LEFT JOIN tenant mt ON mt.id = t.tenant_id LEFT JOIN decor_version v ON v.id = t.version_id LEFT JOIN staff s1 ON s1.id = t.manager_id
    LEFT JOIN staff s2 ON s2.id = t.designer_id LEFT JOIN staff s3 ON s3.id = t.supervisor_id`,
  scope: DECOR_SCOPE,
  codePrefix: 'SO',
  search: 'lower(t.code)',
  searchExact: ['m.phone', 'm.name'],
  columns: {
    member: { id: 't.member_id', title: 'NULL::text' },
    customer: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    project: { id: 't.project_id', title: 'p.name' },
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    houseType: { id: 't.house_type_id', title: 'y.name' },
    merchant: { id: 't.tenant_id', title: 'mt.name' },
    package: { id: 't.product_id', title: 'v.name' },
    versionNo: 'v.no',
    received: `coalesce((SELECT sum(r.received) FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = t.id), 0)::bigint`,
    owed: `coalesce((SELECT sum(r.principal + r.charges - r.received) FROM receivable r WHERE ${OPEN}), 0)::bigint`,
    refunded: `coalesce((SELECT sum(f.cash) FROM refund f WHERE f.order_id = t.sales_order_id AND f.state <> 'cancelled'), 0)::bigint`,
    overdueDays: `(SELECT ${TODAY} - min(r.due_on) FROM receivable r WHERE ${OPEN} AND r.due_on < ${TODAY})`,
    overdue: OVERDUE,
    progress: `(coalesce((SELECT sum(n.weight) FROM decor_node n WHERE n.order_id = t.id AND n.state = 'passed'), 0) / 100.0)::numeric(5, 2)`,
    nextStep: node('n.name'),
    nextOn: node('n.planned_to::text'),
    late: LATE,
    manager: { id: 't.manager_id', title: 's1.name' },
    designer: { id: 't.designer_id', title: 's2.name' },
    supervisor: { id: 't.supervisor_id', title: 's3.name' },
    reworks: `coalesce((SELECT sum(n.rework_count) FROM decor_node n WHERE n.order_id = t.id), 0)::int`,
    closeReason: `nullif(t.close_reason, '')`,
  },
  writes: { member: 'member_id', package: 'product_id', options: 'options' },
  unique: { decor_order_running: ['该房屋已有进行中的订单', 'The house has a running order'] },
  filters: {
    overdue: (value) => (value === 'true' ? OVERDUE : `NOT ${OVERDUE}`),
    late: (value) => (value === 'true' ? LATE : `NOT ${LATE}`),
  },
  tabs: {
    all: () => 'TRUE',
    quotes: () => `t.state IN ('quoting', 'deposit_due')`,
    acceptLate: () => ACCEPT_LATE,
    before: () => `t.state IN ${RUNNING}`,
    works: () => `t.state IN ('constructing', 'accepting', 'reworking', 'tail_due')`,
    overdue: () => OVERDUE,
    late: () => LATE,
    warranty: () => `t.state IN ('warranty', 'finished')`,
    closed: () => `t.state = 'closed'`,
    signed: () => SIGNED,
    owed: () => OWED,
  },
  extra: {
    collectId: `(SELECT r.id FROM receivable r WHERE ${OPEN} ORDER BY r.due_on, r.id LIMIT 1)`,
    discountOpen: 't.discount > t.discount_passed',
    nodeState: node('n.state'),
    nodeDoneBy: node('n.done_by'),
    refundOpen: REFUND_OPEN,
  },
  ruleReads: ['overdue', 'collectId', 'discountOpen', 'nodeState', 'nodeDoneBy', 'supervisor', 'refundOpen'],
  rowRules: {
    askDiscount: (row) =>
      row.discountOpen === true ? undefined : ['该优惠无需审批', 'The discount needs no approval'],
    collect: (row) => (row.collectId === null ? ['没有待收的应收', 'Nothing is owed'] : undefined),
    node: (row) =>
      row.nodeState === 'to_check' ? ['节点待验收', 'The node waits for its check'] : undefined,
    check: (row, caller) => {
      if (row.nodeState !== 'to_check') return ['没有待验收的节点', 'No node waits for a check'];
      if (Number(row.nodeDoneBy) === caller.staffId) return OWN_NODE;
      const supervisor = refId(row.supervisor);
      return supervisor !== null && supervisor !== caller.staffId ? NOT_SUPERVISOR : undefined;
    },
    unblock: (row, caller) =>
      caller.tenantKind === 2
        ? BY_DESK
        : row.overdue === true
          ? undefined
          : ['没有逾期的分期款', 'No instalment is overdue'],
    cancel: (row, caller) => {
      if (['accepting', 'reworking', 'tail_due', 'warranty', 'finished'].includes(String(row.state)))
        return FINISHED_WORKS;
      return caller.tenantKind === 2 && row.state !== 'quoting' ? BY_DESK : undefined;
    },
    refundAgain: (row) =>
      Number(row.refundOpen) > 0 ? undefined : ['没有待申请的退款', 'Nothing is left to pay back'],
  },
  before: [check],
  after: [keepParts],
  sets: { expireQuote: { closed_at: NOW, close_reason: '报价过期' }, collect: {}, print: {} },
  handlers: {
    askDiscount,
    send,
    accept,
    assign,
    measure,
    design,
    sign,
    start,
    node: nodeDone,
    check: checkNode,
    acceptance,
    refixed,
    change,
    unblock,
    delay,
    cancel,
    refundAgain,
    depositPaid,
    expireDeposit,
  },
  present: (rows) => {
    for (const row of rows)
      if (row.collectId !== undefined && row.collectId !== null) row.collectId = String(row.collectId);
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/figures`,
      title: ['美居订单概览', 'Decor orders at a glance'],
      access: { code: DECOR_MENU },
      query: z.strictObject({}),
      handle: async ({ caller, platform }): Promise<DecorFigures> => {
        const parameters = new Parameters();
        const seen = scopeCondition(caller, DECOR_MENU, DECOR_SCOPE, parameters);
        const sums = (await runOne<Record<'contract' | 'received' | 'owed' | 'overdue' | 'late', number>>(
          platform.database.db,
          `SELECT coalesce(sum(t.price) FILTER (WHERE ${SIGNED}), 0)::bigint AS contract, coalesce(sum(m.received), 0)::bigint AS received,
                  coalesce(sum(m.owed), 0)::bigint AS owed, coalesce(sum(m.overdue), 0)::bigint AS overdue, count(*) FILTER (WHERE ${LATE})::int AS late
             FROM decor_order t LEFT JOIN LATERAL (SELECT sum(r.received) AS received,
                    sum(r.principal + r.charges - r.received) FILTER (WHERE r.state IN ('open', 'part')) AS owed,
                    sum(r.principal + r.charges - r.received) FILTER (WHERE r.state IN ('open', 'part') AND r.due_on < ${TODAY}) AS overdue
                    FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = t.id) m ON true WHERE ${seen}`,
          parameters.values,
        ))!;
        const { late, ...money } = sums;
        return {
          contract: yuanFromFen(money.contract),
          received: yuanFromFen(money.received),
          owed: yuanFromFen(money.owed),
          overdue: yuanFromFen(money.overdue),
          late,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/book`,
      title: ['价格、分期、节点与记录', 'Price, instalments, nodes and records'],
      access: { code: DECOR_MENU },
      handle: async (call): Promise<DecorBook> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return bookOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/cancellation`,
      title: ['取消试算', 'What cancelling means'],
      access: { code: `${DECOR_MENU}:btn_cancel` },
      handle: async (call): Promise<DecorCancelText> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const row = (await runOne<DecorOrderRow>(db, 'SELECT * FROM decor_order WHERE id = $1', [id]))!;
        const due = await cancellationOf(db, row);
        return {
          stage: due?.stage ?? null,
          passed: ((due?.passed ?? 0) / 100).toString(),
          paid: yuanFromFen(due?.paid ?? 0),
          works: yuanFromFen(due?.works ?? 0),
          fee: yuanFromFen(due?.fee ?? 0),
          kept: yuanFromFen(due?.kept ?? 0),
          refund: yuanFromFen(due?.refund ?? 0),
          rest: yuanFromFen(due?.rest ?? 0),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/terms`,
      title: ['套餐在房屋的价格与选项', 'Price and options of a package for a house'],
      access: { anyOf: [`${DECOR_MENU}:btn_add`, `${DECOR_MENU}:btn_edit`] },
      query: z.strictObject({
        package: z.string().regex(/^\d{1,15}$/),
        house: z.string().regex(/^\d{1,15}$/),
      }),
      handle: async ({ caller, platform, query }): Promise<DecorTerms> => {
        const { version, house } = await soldFor(
          platform.database.db,
          caller,
          Number(query.package),
          Number(query.house),
        );
        const quote = quoteUnder(version, { ...house, chosen: [] });
        if (!quote) throw notFound(['该户型没有价格', 'No price for the house type']);
        return {
          versionNo: version.no!,
          houseType: house.title,
          built: house.built,
          base: yuanFromFen(quote.gross),
          options: version.options.map((option) => ({
            code: option.code,
            name: option.name,
            mode: option.mode,
            amount: yuanFromFen(optionLine(option, house.rooms).amount),
            preset: option.preset,
          })),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/preview`,
      title: ['试算报价', 'Try a quote'],
      access: { anyOf: [`${DECOR_MENU}:btn_add`, `${DECOR_MENU}:btn_edit`] },
      body: z.strictObject({
        package: z.string().regex(/^\d{1,15}$/),
        house: z.string().regex(/^\d{1,15}$/),
        options: z
          .array(
            z.strictObject({ code: z.string().max(20), pieces: z.number().int().min(1).max(999).optional() }),
          )
          .max(50),
        discount: z
          .string()
          .regex(/^\d{1,9}(\.\d{1,2})?$/)
          .optional(),
      }),
      handle: async ({ caller, platform, body }): Promise<DecorPreview> => {
        const { version, house } = await soldFor(
          platform.database.db,
          caller,
          Number(body.package),
          Number(body.house),
        );
        const quote = quoteUnder(version, { ...house, chosen: body.options as readonly ChosenOption[] });
        if (!quote) throw notFound(['该户型没有价格', 'No price for the house type']);
        const price = Math.max(0, quote.gross - (fenFromYuan(body.discount ?? '0') ?? 0));
        const amounts = instalments(
          version.plan.map((row) => row.share),
          price,
        );
        return {
          lines: quote.lines.map((line) => ({
            name: line.kind === 'base' ? version.name : line.name,
            amount: yuanFromFen(line.amount),
          })),
          price: yuanFromFen(price),
          instalments: version.plan.map((row, index) => ({
            name: row.name,
            amount: yuanFromFen(amounts[index]!),
          })),
          problem: quote.problem ?? null,
        };
      },
    }),
  ],
  also: {
    approvals: decorApprovals(),
    sights: [decorOrderSight],
    options: [decorMembers, decorHouses, decorOnSale],
    jobs: decorJobs(() => bound),
    invariants: decorInvariants,
    todos: [
      todo(
        'decor_accept',
        ['美居订单待受理', 'Decor orders to accept'],
        'state=to_accept',
        `t.state = 'to_accept'`,
        25,
      ),
      todo(
        'decor_accept_late',
        ['美居订单受理超时', 'Decor orders not accepted in time'],
        'tab=acceptLate',
        ACCEPT_LATE,
        26,
        true,
      ),
    ],
  },
});

/** A to-do of orders; the desk has one of its own. */
function todo(
  kind: string,
  label: Label,
  query: string,
  when: string,
  order: number,
  desk = false,
): TodoKind {
  return {
    kind,
    label,
    menu: DECOR_MENU,
    route: `/mercureManager/${DECOR_MENU}?${query}`,
    order,
    count: async ({ caller, platform }) => {
      if (desk && caller.tenantKind === 2) return { count: 0, oldest: null, overdue: 0 };
      const parameters = new Parameters();
      return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.accept_until) AS oldest, count(*) FILTER (WHERE ${ACCEPT_LATE}) AS overdue
           FROM decor_order t WHERE ${when} AND ${scopeCondition(caller, DECOR_MENU, DECOR_SCOPE, parameters)}`,
        parameters.values,
      ))!;
    },
  };
}

/** Decor orders. */
export const registration: Registration = bound.registration;

/** Decor orders, for what hangs on them. */
export const boundDecorOrder: BoundResource = bound;

const refId = (value: unknown): number | null =>
  value === null || value === undefined
    ? null
    : Number(typeof value === 'object' ? (value as { id: unknown }).id : value);

interface SoldHouse {
  readonly houseTypeId: number;
  readonly title: string;
  readonly built: string;
  readonly inner: string;
  readonly rooms: readonly Room[];
  readonly projectId: number;
}

const houseOf = (db: Executor, houseId: number) =>
  runOne<SoldHouse & { houseTypeId: number | null }>(
    db,
    `SELECT y.id AS "houseTypeId", y.name AS title, y.built_area::text AS built, y.inner_area::text AS inner, y.rooms, h.project_id AS "projectId"
       FROM house h LEFT JOIN house_type y ON y.id = h.house_type_id WHERE h.id = $1`,
    [houseId],
  );

/** What a package is sold under for a house, where the caller sells. Throws 404 otherwise, 30101 without a house type. */
async function soldFor(
  db: Executor,
  caller: Caller,
  packageId: number,
  houseId: number,
): Promise<{ readonly version: StoredVersion; readonly house: SoldHouse; readonly tenantId: number }> {
  await requireHouse(db, caller, houseId);
  const house = (await houseOf(db, houseId))!;
  const [sale] = await decorSales(db, caller, {
    ids: [packageId],
    projects: [house.projectId],
    searchVal: '',
    limit: 1,
    offset: 0,
  });
  if (!sale) throw notFound();
  if (house.houseTypeId === null) throw invalid({ house: NO_TYPE });
  return { version: (await readVersion(db, sale.versionId))!, house, tenantId: sale.tenantId };
}

const NO_TYPE: Label = ['该房屋未设置户型', 'House has no house type'];

async function requireHouse(db: Executor, caller: Caller, houseId: number): Promise<void> {
  const parameters = new Parameters();
  const reach = sellsIn('h.project_id', caller, parameters);
  const row = await runOne(
    db,
    `SELECT h.id FROM house h WHERE h.id = ${parameters.bind(houseId)} AND h.merged_into_id IS NULL AND ${reach}`,
    parameters.values,
  );
  if (!row) throw notFound();
}

/** Looks at the values of the form and reckons the price. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller, platform } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  for (const name of ['discount_reason', 'remark']) if (columns[name] === null) columns[name] = '';
  if (columns.discount === null) columns.discount = 0;
  const now: DbRow = { ...row, ...columns };
  const packageId = Number(now.product_id);
  const { version, house, tenantId } = await soldFor(tx, caller, packageId, Number(now.house_id));
  if (action === 'create') {
    if (house.projectId !== Number(input.project))
      throw invalid({ house: ['房屋不在该项目', 'The house lies in another project'] });
    const lives = await runOne(
      tx,
      `SELECT id FROM household WHERE house_id = $1 AND member_id = $2 AND status = 'normal' LIMIT 1`,
      [input.house, input.member],
    );
    if (!lives) throw invalid({ house: ['不是该客户的房屋', 'Not a house of this customer'] });
    const days = await platform.settings.numberIn(tx, 'decor.quote_days', { projectId: house.projectId });
    Object.assign(columns, {
      tenant_id: tenantId,
      payer_id: await payerOf(tx, { memberId: Number(input.member) }),
      quote_until: addDays(businessDayOf(new Date()), Math.trunc(days)),
    });
  }
  if (action === 'update') {
    const asked = await runOne(
      tx,
      `SELECT id FROM approval_instance WHERE biz_type = 'decor_discount' AND biz_id = $1 AND state = 'running'`,
      [context.id],
    );
    if (asked) throw ruleBroken(['优惠审批中，不能修改', 'Its discount is being approved']);
  }
  // A quote is made anew with what is sold now whenever it is written.
  const chosen = chosenOf(input.options ?? row.options ?? []);
  const quote = quoteUnder(version, { ...house, chosen });
  if (!quote) throw invalid({ package: ['该户型没有价格', 'No price for the house type'] });
  const discount = Number(now.discount ?? 0);
  if (quote.problem) problems.options = quote.problem;
  if (discount >= quote.gross) problems.discount = ['优惠须低于总价', 'Below the price'];
  if (discount > 0 && !String(now.discount_reason ?? '').trim())
    problems.discountReason = ['请填写优惠原因', 'Say why there is a discount'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  Object.assign(columns, {
    version_id: version.id,
    house_type_id: house.houseTypeId,
    built_area: house.built,
    inner_area: house.inner,
    rooms: JSON.stringify(house.rooms),
    options: JSON.stringify(chosen),
    gross: quote.gross,
    discount,
    price: quote.gross - discount,
  });
}

const chosenOf = (value: unknown): ChosenOption[] =>
  (value as readonly { readonly code: string; readonly pieces?: number | null }[]).map((one) => ({
    code: one.code,
    pieces: Number(one.pieces || 1),
  }));

/** Lines and plan follow the quote. */
async function keepParts({ tx, action }: ActionContext, id: number) {
  if (action !== 'create' && action !== 'update') return [];
  const order = (await runOne<DecorOrderRow>(tx, 'SELECT * FROM decor_order WHERE id = $1', [id]))!;
  const version = (await readVersion(tx, order.version_id))!;
  const quote = quoteUnder(version, {
    houseTypeId: order.house_type_id,
    built: order.built_area,
    inner: order.inner_area,
    rooms: order.rooms,
    chosen: order.options,
  })!;
  await writeLines(tx, id, version.name, quote.lines, order.discount);
  await writePlan(tx, id, version, order.price);
  return [];
}
