import { z } from 'zod';
import { plansOf } from '../../../domain/life-service/package-order.rules.ts';
import {
  cancellationOf,
  termsOfVersion,
  writeItems,
} from '../../../domain/life-service/package-order.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { houseOptions } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Invariant,
  type OptionSource,
  type Registration,
} from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  askDiscount,
  cancel,
  cancelApproved,
  change,
  confirm,
  expire,
  isForeign,
  onSale,
  orderOf,
  paid,
  pause,
  redeem,
  renew,
  requireColleague,
  resume,
  start,
  suspend,
  unsuspend,
} from './package-order-actions.server.ts';
import { orderApprovals } from './package-order-approval.server.ts';
import { packageJobs } from './package-order-jobs.server.ts';
import { ORDER_SCOPE, orderRequestSight, orderSight } from './package-order-scope.server.ts';
import { ORDER_MENU, packageOrder } from './package-order.contract.ts';
import type { CancellationText, OrderFigures, OrderItem, SaleTerms } from './package-order-wire.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const lines = (what: string, where: string) =>
  `coalesce((SELECT sum(${what}) FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id AND ${where}), 0)::bigint`;
const OPEN = `r.state IN ('open', 'part')`;
const LATE = `EXISTS (SELECT FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id AND ${OPEN} AND r.due_on < ${TODAY})`;

const RENEWED = `EXISTS (SELECT FROM package_order x WHERE x.renew_of = t.id AND x.state <> 'cancelled')`;
/** Terms that ended within a year; what a renewal followed counts as renewed. */
const ENDED = `(t.state = 'finished' AND t.end_on > ${TODAY} - 365)`;

const FROZEN: Label = ['退订审批中，订单已冻结', 'Frozen: its cancellation waits for approval'];
const unlessFrozen = (row: DbRow) => (row.frozen === true ? FROZEN : undefined);

const bound: BoundResource = bindResource(packageOrder, {
  table: 'package_order',
  from: `package_order t LEFT JOIN payer y ON y.id = t.payer_id LEFT JOIN member m ON m.id = y.member_id LEFT JOIN client k ON k.id = t.client_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id
    LEFT JOIN building b ON b.id = u.building_id LEFT JOIN service_package sp ON sp.id = t.package_id
    LEFT JOIN service_package_version v ON v.id = t.version_id LEFT JOIN staff s ON s.id = t.seller_id
    LEFT JOIN package_order ro ON ro.id = t.renew_of LEFT JOIN package_order co ON co.id = t.changed_from`,
  scope: ORDER_SCOPE,
  codePrefix: 'SO',
  search: 'lower(t.code)',
  searchExact: ['m.phone', 'y.name', 't.contact_phone', 'sp.name'],
  columns: {
    member: { id: 'y.member_id', title: 'm.name' },
    client: { id: 't.client_id', title: 'k.name' },
    payer: 'y.name',
    phone: 'm.phone',
    project: { id: 't.project_id', title: 'p.name' },
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    package: { id: 't.package_id', title: 'sp.name' },
    versionNo: 'v.no',
    received: lines('r.received', `r.state <> 'void'`),
    owed: lines('r.principal + r.charges - r.received', OPEN),
    overdue: lines('r.principal + r.charges - r.received', `${OPEN} AND r.due_on < ${TODAY}`),
    late: LATE,
    uses: `(SELECT sum(i.times - i.used) || ' / ' || sum(i.times) FROM package_order_item i WHERE i.order_id = t.id AND i.times IS NOT NULL)`,
    startRule: `v.terms->>'startRule'`,
    refundMethod: `v.terms->>'refundMethod'`,
    seller: { id: 't.seller_id', title: 's.name' },
    renewOf: 'ro.code',
    changedFrom: 'co.code',
    cancelReason: `nullif(t.cancel_reason, '')`,
  },
  writes: { member: false },
  unique: { package_order_renewal: ['已有续订订单', 'It is renewed already'] },
  filters: {
    late: (value) => (value === 'true' ? LATE : `NOT ${LATE}`),
  },
  tabs: {
    all: () => 'TRUE',
    pending: () => `t.state = 'pending_first'`,
    service: () => `t.state = 'in_service'`,
    late: () => LATE,
    ending: () => `(t.state IN ('in_service', 'paused') AND t.end_on BETWEEN ${TODAY} AND ${TODAY} + 30)`,
    draft: () => `t.state = 'draft'`,
  },
  extra: {
    collectId: `(SELECT r.id FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id AND ${OPEN} ORDER BY r.due_on, r.id LIMIT 1)`,
    discountOpen: 't.discount > t.discount_passed',
    renewed: RENEWED,
  },
  ruleReads: ['frozen', 'collectId', 'discountOpen', 'renewed', 'pauseKind', 'startOn', 'startRule'],
  rowRules: {
    update: unlessFrozen,
    askDiscount: (row) =>
      row.discountOpen === true ? undefined : ['该优惠无需审批', 'The discount needs no approval'],
    redeem: (row) =>
      unlessFrozen(row) ??
      (row.state === 'to_start' && (row.startRule !== 'first_use' || row.startOn !== null)
        ? ['服务尚未开始', 'The service has not begun']
        : undefined),
    collect: (row) => (row.collectId === null ? ['没有待收的应收', 'Nothing is owed'] : undefined),
    pause: unlessFrozen,
    resume: (row) =>
      unlessFrozen(row) ??
      (row.pauseKind === 'request'
        ? undefined
        : ['欠费暂停，付清后自动恢复', 'Suspended for arrears: it resumes once they are paid']),
    renew: (row) => (row.renewed === true ? ['已有续订订单', 'It is renewed already'] : unlessFrozen(row)),
    change: unlessFrozen,
    cancel: unlessFrozen,
  },
  before: [check],
  after: [keepItems],
  sets: { collect: {} },
  handlers: {
    confirm,
    askDiscount,
    redeem,
    pause,
    resume,
    pauseOver: resume,
    renew,
    change,
    cancel,
    cancelApproved,
    transferSeller: async (context) => {
      await requireColleague(context, 'seller', context.input.seller);
      return { set: { seller_id: context.input.seller } };
    },
    paid,
    start,
    suspend,
    unsuspend,
    finish: async (context) => (context.row.state === 'paused' ? unsuspend(context) : { set: {} }),
    expire,
  },
  present: async (rows, db) => {
    // What a collector opens the form of a receipt with.
    await Promise.resolve(db);
    for (const row of rows)
      if (row.collectId !== undefined && row.collectId !== null) row.collectId = String(row.collectId);
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/packageOrder/figures',
      title: ['套餐订单概览', 'Package orders at a glance'],
      access: { code: ORDER_MENU },
      query: z.strictObject({}),
      handle: async ({ caller, platform }): Promise<OrderFigures> => {
        const parameters = new Parameters();
        const seen = scopeCondition(caller, ORDER_MENU, ORDER_SCOPE, parameters);
        return (await runOne<OrderFigures>(
          platform.database.db,
          `SELECT count(*) FILTER (WHERE t.state = 'in_service')::int AS service, count(*) FILTER (WHERE t.state = 'pending_first')::int AS pending,
                  count(*) FILTER (WHERE ${LATE})::int AS late,
                  coalesce(sum((SELECT sum(u.qty) FROM package_usage u WHERE u.order_id = t.id AND u.state = 'used'
                                 AND date_trunc('month', u.used_on) = date_trunc('month', ${TODAY}))), 0)::int AS used,
                  count(*) FILTER (WHERE ${ENDED})::int AS ended, count(*) FILTER (WHERE ${ENDED} AND ${RENEWED})::int AS renewed
             FROM package_order t WHERE ${seen}`,
          parameters.values,
        ))!;
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/packageOrder/:id/items',
      title: ['服务内容与已用次数', 'Items and what was used of them'],
      access: { code: ORDER_MENU },
      handle: async (call): Promise<readonly OrderItem[]> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const rows = await run<{
          id: number;
          name: string;
          times: number | null;
          price: number;
          used: number;
        }>(
          call.platform.database.db,
          'SELECT id, name, times, list_price AS price, used FROM package_order_item WHERE order_id = $1 ORDER BY position',
          [id],
        );
        return rows.map(({ price, ...row }) => ({
          ...row,
          id: String(row.id),
          listPrice: yuanFromFen(price),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/packageOrder/:id/cancellation',
      title: ['退订试算', 'What cancelling means'],
      access: { anyOf: [`${ORDER_MENU}:btn_cancel`, `${ORDER_MENU}:btn_change`] },
      handle: async (call): Promise<CancellationText> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const row = (await runOne<DbRow>(db, 'SELECT * FROM package_order WHERE id = $1', [id]))!;
        const due = await cancellationOf(db, orderOf(row, id), businessDayOf(new Date()));
        const limit = await call.platform.settings.number('package.cancel_approval_fen', {
          projectId: Number(row.project_id),
        });
        const { refundMethod, cancelFee } = await termsOfVersion(db, Number(row.version_id));
        return {
          method: refundMethod as CancellationText['method'],
          feePercent: cancelFee,
          paid: yuanFromFen(due.paid),
          used: yuanFromFen(due.used),
          fee: yuanFromFen(due.fee),
          dueBack: yuanFromFen(due.dueBack),
          credit: yuanFromFen(Math.max(0, due.paid - due.used)),
          needsApproval: due.dueBack > limit,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/packageOrder/terms/:package',
      title: ['套餐的价格与付款方式', 'Price and plans of a package'],
      access: { anyOf: [`${ORDER_MENU}:btn_add`, `${ORDER_MENU}:btn_edit`, `${ORDER_MENU}:btn_change`] },
      handle: async ({ caller, platform, params }): Promise<SaleTerms> => {
        const [found] = await packagesOnSale(platform.database.db, caller, {
          ids: [idOf(params.package)],
          projects: [],
          searchVal: '',
          limit: 1,
          offset: 0,
        });
        if (!found) throw notFound();
        const { terms } = found;
        return {
          versionNo: found.no,
          price: yuanFromFen(found.price),
          plans: plansOf(terms),
          startRule: terms.startRule as SaleTerms['startRule'],
          validity: terms.validity,
          validityUnit: terms.validityUnit,
        };
      },
    }),
  ],
  also: {
    approvals: orderApprovals(() => bound),
    sights: [orderSight, orderRequestSight],
    options: [houseOptions('packageHouse', [ORDER_MENU]), onSaleOptions(), clientOptions()],
    jobs: packageJobs(() => bound),
    invariants: invariants(),
  },
});

/** Package orders. */
export const registration: Registration = bound.registration;

/** Package orders, for what hangs on them. */
export const boundOrder: BoundResource = bound;

/** What is fixed once the receivables stand. */
const FIXED = ['package', 'plan', 'startOn', 'discount', 'discountReason'] as const;
const FIXED_COLUMN = {
  package: 'package_id',
  plan: 'plan',
  startOn: 'start_on',
  discount: 'discount',
  discountReason: 'discount_reason',
} as const;

/** Looks at the values of the form and reckons price and total. Source: group 19, orderEdit. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  for (const name of ['discount_reason', 'remark']) if (columns[name] === null) columns[name] = '';
  if (columns.discount === null) columns.discount = 0;
  if (input.seller && Number(input.seller) !== row.seller_id)
    await requireColleague(context, 'seller', input.seller);
  if (action === 'update' && row.state !== 'draft') {
    for (const name of FIXED)
      if (input[name] !== undefined && columns[FIXED_COLUMN[name]] !== row[FIXED_COLUMN[name]])
        problems[name] = [
          '确认后只能修改联系人、销售与备注',
          'Only contact, seller and remark change once it is confirmed',
        ];
    if (Object.keys(problems).length > 0) throw invalid(problems);
    return;
  }
  if (action === 'create') await checkCustomer(context, problems);
  const now: DbRow = { ...row, ...columns };
  const sale = await onSale(tx, Number(now.package_id), Number(now.project_id));
  if (!sale || isForeign(caller, sale))
    throw invalid({ package: ['套餐在该项目不在售', 'Not on sale in the project'] });
  const fresh = action === 'create' || Number(row.package_id) !== Number(now.package_id);
  if (fresh)
    Object.assign(columns, { version_id: sale.versionId, tenant_id: sale.tenantId, price: sale.price });
  if (fresh && action === 'update') await forgetDiscount(context);
  const price = Number(fresh ? sale.price : row.price);
  const terms = fresh ? sale.terms : await termsOfVersion(tx, Number(row.version_id));
  const discount = Number(now.discount ?? 0);
  if (!plansOf(terms).includes(String(now.plan)))
    problems.plan = ['该套餐没有此付款方式', 'The package has no such plan'];
  if (discount >= price) problems.discount = ['优惠须低于套餐价', 'Below the price'];
  if (discount > 0 && !String(now.discount_reason ?? '').trim())
    problems.discountReason = ['请填写优惠原因', 'Say why there is a discount'];
  const startOn = (now.start_on ?? null) as string | null;
  if (row.renew_of === undefined || row.renew_of === null) {
    if (terms.startRule !== 'fixed_date' && startOn !== null)
      problems.startOn = ['该套餐不按指定日期生效', 'The package does not start on a fixed date'];
    if (terms.startRule === 'fixed_date' && startOn === null)
      problems.startOn = ['请填写开始日期', 'A start is needed'];
  }
  if (input.startOn && startOn !== null && startOn < businessDayOf(new Date()))
    problems.startOn = ['开始日期不能早于今天', 'It cannot lie before today'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  columns.discount = discount;
  columns.total = price - discount - Number(row.credit ?? 0);
}

/** What was agreed to was the discount of another package. Throws 30101 while that is still being decided. */
async function forgetDiscount({ tx, id, columns }: ActionContext): Promise<void> {
  const waits = await runOne(
    tx,
    `SELECT FROM package_order_request WHERE order_id = $1 AND kind = 'discount' AND state = 'waiting'`,
    [id],
  );
  if (waits)
    throw ruleBroken([
      '优惠审批中，不能更换套餐',
      'Its discount waits for approval, the package stays meanwhile',
    ]);
  columns.discount_passed = 0;
}

/** A member with one of its houses, or a company. */
async function checkCustomer(
  { input, columns, tx, caller }: ActionContext,
  problems: Record<string, Label>,
): Promise<void> {
  const project = Number(input.project);
  requireProjectsInReach(caller, [project]);
  if (Boolean(input.member) === Boolean(input.client))
    throw invalid({ member: ['会员与企业客户选择一项', 'Either a member or a client'] });
  const house = input.house
    ? await runOne<{ project_id: number; own: boolean }>(
        tx,
        `SELECT b.project_id, EXISTS (SELECT FROM household x WHERE x.house_id = h.id AND x.member_id = $2 AND x.status = 'normal') AS own
           FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id WHERE h.id = $1`,
        [input.house, input.member ?? 0],
      )
    : undefined;
  if (input.house && house?.project_id !== project)
    problems.house = ['房屋不在该项目', 'The house lies in another project'];
  else if (input.member && !house) problems.house = ['请选择房屋', 'Choose a house'];
  else if (input.member && !house!.own) problems.house = ['不是该会员的房屋', 'Not a house of this member'];
  if (input.member) {
    const known = await runOne(tx, 'SELECT id FROM member WHERE id = $1', [input.member]);
    if (!known) throw notFound();
    columns.payer_id = await payerOf(tx, { memberId: Number(input.member) });
    return;
  }
  const client = await runOne<{ name: string }>(
    tx,
    `SELECT name FROM client k WHERE id = $1 AND EXISTS (SELECT FROM client_project x WHERE x.client_id = k.id AND x.project_id = $2)`,
    [input.client, project],
  );
  if (!client) throw invalid({ client: ['客户不在该项目', 'The client is none of the project'] });
  columns.payer_id = await payerOf(tx, { name: client.name });
}

/** Items follow the package while the order is a draft. */
async function keepItems({ tx, action, row, columns }: ActionContext, id: number) {
  if (
    action === 'create' ||
    (action === 'update' && columns.version_id !== undefined && row.state === 'draft')
  )
    await writeItems(tx, id, await termsOfVersion(tx, Number(columns.version_id)));
  return [];
}

interface SaleRow {
  readonly id: number;
  readonly title: string;
  readonly no: number;
  readonly price: number;
  readonly terms: Awaited<ReturnType<typeof termsOfVersion>>;
}

/** Packages on sale where the caller works. */
async function packagesOnSale(
  db: Executor,
  caller: Caller,
  query: {
    readonly ids: readonly number[];
    readonly projects: readonly number[];
    readonly searchVal: string;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly SaleRow[]> {
  const parameters = new Parameters();
  const parts = [
    placeCondition(
      caller,
      {
        tenant: 't.tenant_id',
        project: (ids) =>
          `EXISTS (SELECT FROM service_package_project x WHERE x.package_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
      },
      parameters,
    ),
    `t.state = 'published'`,
  ];
  if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids)}::bigint[])`);
  if (query.projects.length > 0)
    parts.push(
      `EXISTS (SELECT FROM service_package_project x WHERE x.package_id = t.id AND x.project_id = ANY(${parameters.bind(query.projects)}::bigint[]))`,
    );
  if (query.searchVal)
    parts.push(`position(lower(${parameters.bind(query.searchVal)}) IN lower(t.name)) > 0`);
  return run<SaleRow>(
    db,
    `SELECT t.id, t.name AS title, v.no, v.price, v.terms FROM service_package t
       JOIN LATERAL (SELECT no, price, terms FROM service_package_version WHERE package_id = t.id ORDER BY no DESC LIMIT 1) v ON TRUE
      WHERE ${parts.join(' AND ')} ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
    parameters.values,
  );
}

function onSaleOptions(): OptionSource {
  return {
    target: 'packageOnSale',
    anyOf: [ORDER_MENU],
    find: async ({ caller, platform }, query) => {
      const rows = await packagesOnSale(platform.database.db, caller, {
        ...query,
        ids: query.ids.map(Number),
        projects: (query.within ?? []).map(Number),
      });
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: `¥${yuanFromFen(row.price)}`,
      }));
    },
  };
}

/** Companies of the projects the caller works in. */
function clientOptions(): OptionSource {
  return {
    target: 'packageClient',
    anyOf: [ORDER_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          {
            tenant: 'NULL::bigint',
            project: (ids) =>
              `EXISTS (SELECT FROM client_project x WHERE x.client_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
          },
          parameters,
        ),
      ];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(`position(lower(${parameters.bind(query.searchVal)}) IN lower(t.name)) > 0`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM client t WHERE ${parts.join(' AND ')}
          ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** What must hold of package orders whatever happened. */
function invariants(): Invariant[] {
  const look = (name: string, broken: string): Invariant => ({
    name,
    check: async ({ database: { db } }) => {
      const looked = await run<{ n: number }>(db, 'SELECT count(*)::int AS n FROM package_order');
      const rows = await run<{ what: string }>(db, `${broken} LIMIT 200`);
      return { looked: looked[0]!.n, problems: rows.map((row) => row.what) };
    },
  });
  return [
    look(
      'packageOrder.plan',
      `SELECT o.code || ': total ' || o.total || ', parts ' || coalesce(x.sum, 0) AS what FROM package_order o LEFT JOIN (
         SELECT source_id, sum(principal) AS sum FROM receivable WHERE source_kind = 'package' AND period_no < 100 GROUP BY 1) x ON x.source_id = o.id
        WHERE o.confirmed_at IS NOT NULL AND o.total <> coalesce(x.sum, 0)`,
    ),
    look(
      'packageOrder.used',
      `SELECT o.code || ' ' || i.name || ': used ' || i.used || ', uses say ' || coalesce(x.sum, 0) AS what FROM package_order_item i
         JOIN package_order o ON o.id = i.order_id LEFT JOIN (
         SELECT item_id, sum(qty) AS sum FROM package_usage WHERE state = 'used' GROUP BY 1) x ON x.item_id = i.id WHERE i.used <> coalesce(x.sum, 0)`,
    ),
    look(
      'packageOrder.refund',
      `SELECT o.code || ': refund ' || o.refund || ', parts ' || coalesce(x.sum, 0) AS what FROM package_order o LEFT JOIN (
         SELECT order_id, sum(amount) AS sum FROM package_refund GROUP BY 1) x ON x.order_id = o.id WHERE o.refund <> coalesce(x.sum, 0)
       UNION ALL
       SELECT c.code || ': paid back ' || x.sum || ' of ' || c.amount FROM receipt c JOIN (
         SELECT receipt_id, sum(amount) AS sum FROM package_refund GROUP BY 1) x ON x.receipt_id = c.id WHERE x.sum > c.allocated`,
    ),
  ];
}
