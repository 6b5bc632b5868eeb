import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { fieldsOf } from '../kernel/contract/resource.ts';
import type { Caller, LoadCaller } from '../kernel/server/people/caller.ts';
import { run } from '../kernel/server/database.ts';
import { Refusal } from '../kernel/server/http/errors.ts';
import { openFileStore } from '../kernel/server/files/file-store.ts';
import { runTask } from '../kernel/server/tasks/task-run.ts';
import { readXlsx } from '../kernel/server/tables/xlsx-reader.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';
import { buildApp } from './server/app.ts';
import { callerLoader } from '../domain/permission/load-caller.server.ts';
import { waitsFor } from '../features/after-sales/refund/refund.oracle.ts';
import { soldAt } from '../features/mall/goods-order/goods-order.oracle.ts';
import { listOf, LISTS, LOOKED_AT, MENUS, ORACLE_PROBLEMS, SCREEN } from '../testing/oracle-lists.ts';
import { dayOf } from '../testing/oracle/filters.ts';
import { filtersOf, unprovenFilters, type ListRule } from '../testing/oracle/oracle.ts';
import {
  by,
  Dice,
  makeRule,
  makeWorld,
  maySee,
  type Held,
  type RandomStaff,
  type Raw,
  type Standing,
  type World,
} from '../testing/oracle/world.ts';

/*
 * A thousand random staff, random filters: rows, counts, badge, exports, report sums and drills must equal a brute force
 * over the raw table rows. The rule stands in src/testing/oracle and in an oracle beside each list; it shares no code with
 * the product.
 */

const STAFF = SCREEN ? 300 : 1_000;
const SEED = Number(process.env.SEED ?? 20_261_121);
/** Least number of random staff who hold a menu, and of looks at a list: many menus must not thin out the proof. */
const HOLDERS = 60;
const LOOKS = 40;
/** Staff looked at together, about as many as connections. */
const TOGETHER = 8;

let product: TestProduct;
let world: World;
let rule: (staffId: number) => Held;
let load: LoadCaller;

beforeAll(async () => {
  product = await startTestProduct();
  console.log(`SEED=${SEED}`);
  world = await makeWorld(product.platform.database.db, new Dice(SEED), STAFF, {
    oracles: LISTS,
    menus: MENUS,
  });
  rule = makeRule(world);
  load = callerLoader(product.platform.database.db);
}, 240_000);
afterAll(() => product?.close());

/** What was looked at and what was wrong. */
interface Findings {
  readonly problems: string[];
  readonly checks: Record<Kind, number>;
  staff: number;
  refused: number;
  rows: number;
  /** How often each list was looked at. */
  readonly looks: Map<string, number>;
  /** Lists without any row of the table, with some but not all, with all. */
  empty: number;
  partial: number;
  full: number;
}

type Kind = 'list' | 'total' | 'counts' | 'badge' | 'export' | 'report' | 'drill' | 'forbidden' | 'detail';

/** How the product is asked: its HTTP application and the callers of background work. A planted bug changes one of them. */
interface Subject {
  readonly app: FastifyInstance;
  readonly load: LoadCaller;
}

test('every registered list is described by the independent rule', () => {
  expect(ORACLE_PROBLEMS).toEqual([]);
  for (const list of LISTS) {
    expect([list.name, list.menu]).toEqual([list.name, list.resource.menu]);
    expect([list.name, list.export !== undefined]).toEqual([list.name, Boolean(list.resource.list.export)]);
  }
});

test('every filter of every list is written in its oracle, follows from its kind, or is said to be left out', () => {
  expect(LISTS.flatMap((list) => unprovenFilters(list, world).map((name) => `${list.name}.${name}`))).toEqual(
    [],
  );
  for (const list of LISTS)
    for (const name of [...Object.keys(list.filters ?? {}), ...(list.leftOut ?? [])])
      expect([list.name, name, fieldsOf(list.resource)[name]?.search !== undefined]).toEqual([
        list.name,
        name,
        true,
      ]);
});

test('every list has rows here, made by its `fill` where the first set has none', () => {
  expect(LISTS.filter((list) => placesOf(list).length === 0).map((list) => list.name)).toEqual([]);
});

test.skipIf(SCREEN)('every menu of a list or report is held by enough random staff', () => {
  const holders = new Map<string, number>(MENUS.map((menu) => [menu, 0]));
  for (const one of world.staff)
    for (const menu of rule(one.id).menus.keys())
      if (holders.has(menu)) holders.set(menu, holders.get(menu)! + 1);
  const few = [...holders].filter(([, count]) => count < HOLDERS);
  expect(few).toEqual([]);
});

describe('rows, counts, badge, exports and reports of random staff', () => {
  test(`equal a brute force over the raw rows for ${STAFF} staff, SEED=${SEED}`, async () => {
    const findings = await lookAt({ app: product.app, load }, world.staff, new Dice(SEED + 1));
    expect(findings.problems.slice(0, 20)).toEqual([]);
    expect(findings.staff).toBe(STAFF);
    for (const list of LOOKED_AT) {
      const looks = findings.looks.get(list.name) ?? 0;
      expect([list.name, looks, looks >= LOOKS]).toEqual([list.name, looks, true]);
    }
    if (SCREEN) return;
    expect(findings.refused).toBeGreaterThan(STAFF * 0.01);
    expect(findings.rows).toBeGreaterThan(20_000);
    for (const [kind, least] of Object.entries(LEAST)) {
      const wanted = SCALED.has(kind as Kind) ? Math.max(least, (least / 14) * LISTS.length * SCALE) : least;
      const looked = findings.checks[kind as Kind];
      expect([kind, looked, looked >= wanted]).toEqual([kind, looked, true]);
    }
    // A proof over empty lists would prove nothing: a good share shows some rows and hides others.
    const lists = findings.empty + findings.partial + findings.full;
    expect(findings.partial / lists).toBeGreaterThan(0.18);
    expect(findings.empty).toBeGreaterThan(0);
    expect(findings.full).toBeGreaterThan(0);
  }, 900_000);

  test.skipIf(SCREEN)(
    'task exports carry exactly the visible rows into the file',
    async () => {
      const findings = noFindings();
      const dice = new Dice(SEED + 2);
      let files = 0;
      for (const one of world.staff) {
        // Some staff and filters leave few rows: on until there were enough of both.
        if (files >= 12 && findings.rows > 100) break;
        const held = rule(one.id);
        const list = listOf('goodsOrder');
        if (!held.elements.has(`${list.menu}:btn_export`) || held.row.state !== 'normal') continue;
        const { query, keeps } = randomFilters(dice, list, held);
        const expected = visible(list, held).filter(keeps);
        const answer = await product.app.inject({
          method: 'POST',
          url: `${list.root}/export`,
          headers: { authorization: one.authorization },
          payload: { query },
        });
        expect(answer.statusCode).toBe(200);
        const { taskId } = answer.json<{ data: { taskId: string } }>().data;
        await runTask(product.platform, taskId, { loadCaller: load });
        const codes = await codesOfFile(taskId);
        const wanted = new Set(
          expected.filter((row) => list.export!.lines!(row, world) > 0).map((row) => String(row.code)),
        );
        expect([one.account, query, [...codes].sort()]).toEqual([one.account, query, [...wanted].sort()]);
        findings.rows += codes.size;
        files++;
      }
      expect(files).toBeGreaterThanOrEqual(12);
      expect(findings.rows).toBeGreaterThan(100);
    },
    180_000,
  );
});

/** Lists a staff may see, of those a question is about. */
function listsFor(held: Held, concerns: Concerns = () => true): readonly ListRule[] {
  if (held.row.state !== 'normal') return [];
  return LOOKED_AT.filter((list) => held.menus.has(list.menu) && concerns(held, list));
}

/** Whether a question is about a list for a staff who holds its menu. */
type Concerns = (held: Held, list: ListRule) => boolean;

/** A bug of the kernel, and for whom it would show in which list. */
interface Bug {
  change(caller: Caller): Caller;
  readonly concerns: Concerns;
}

const standsInPlaces = (list: ListRule) => placesOf(list)[0]?.standing.rule === 'places';
const isNarrowed: Concerns = (held, list) =>
  held.menus.get(list.menu)!.every((grant) => grant.scope !== 'all');

describe.skipIf(SCREEN)('the check reports planted bugs', () => {
  /** Each takes one condition out of the scope, as a bug in the kernel would. */
  const bugs: Readonly<Record<string, Bug>> = {
    'projects are not looked at': {
      change: (caller) => (caller.tenantKind === 2 ? caller : { ...caller, projectIds: null }),
      concerns: (held, list) => held.kind !== 2 && held.projects !== undefined && standsInPlaces(list),
    },
    'the tenant of a merchant is not forced': {
      change: (caller) => (caller.tenantKind === 2 ? { ...caller, tenantKind: 3 } : caller),
      concerns: (held, list) => held.kind === 2 && standsInPlaces(list),
    },
    'every grant counts as all rows': {
      change: (caller) => ({
        ...caller,
        menus: new Map([...caller.menus.keys()].map((menu) => [menu, [{ kind: 'all' as const }]])),
      }),
      concerns: isNarrowed,
    },
    'scopes of groups mix across menus': {
      change: (caller) => {
        const union = [...caller.menus.values()].flat().filter((scope) => scope.kind !== 'all');
        return {
          ...caller,
          menus: new Map(
            [...caller.menus].map(([menu, scopes]) => [menu, union.length > 0 ? union : scopes]),
          ),
        };
      },
      concerns: (held) => held.menus.size > 1,
    },
    'own rows are those of the department': {
      change: (caller) => ({
        ...caller,
        menus: new Map(
          [...caller.menus].map(([menu, scopes]) => [
            menu,
            scopes.map((scope) =>
              scope.kind === 'self' && caller.departmentId !== null
                ? { kind: 'departments' as const, ids: [caller.departmentId] }
                : scope,
            ),
          ]),
        ),
      }),
      concerns: (held, list) =>
        held.row.department_id !== null &&
        held.menus.get(list.menu)!.every((grant) => grant.scope === 'self'),
    },
    'elements of any menu are held': {
      change: (caller) => ({
        ...caller,
        elements: new Set([
          ...caller.elements,
          'mm_orderRefund:btn_audit',
          'mm_orderRefund:btn_auditFinance',
        ]),
      }),
      concerns: (held, list) =>
        list.name === 'refund' &&
        !(
          held.elements.has('mm_orderRefund:btn_audit') &&
          held.elements.has('mm_orderRefund:btn_auditFinance')
        ),
    },
  };

  test.each(Object.entries(bugs))('%s', async (_name, { change, concerns }) => {
    const app = await buildApp({
      platform: product.platform,
      authenticator: {
        authenticate: async (authorization, facts) =>
          change(await product.sessions.authenticate(authorization, facts)),
      },
    });
    try {
      const subject: Subject = {
        app,
        load: async (staffId) => {
          const caller = await load(staffId);
          return caller && change(caller);
        },
      };
      const staff = world.staff.filter((one) => listsFor(rule(one.id), concerns).length > 0).slice(0, 40);
      expect(staff.length).toBeGreaterThan(20);
      const findings = await lookAt(subject, staff, new Dice(SEED + 1), { concerns, enough: 6 });
      expect(findings.problems.length).toBeGreaterThan(5);
    } finally {
      await app.close();
    }
  });

  test('a count that forgets the scope', async () => {
    const app = await buildApp({
      platform: product.platform,
      authenticator: product.sessions,
    });
    // The rows are right; the number beside them is that of the whole table.
    const honest = app.inject.bind(app);
    const lying = Object.assign(Object.create(app) as FastifyInstance, {
      inject: (async (options: { url: string }) => {
        const answer = await honest(options as never);
        if (!options.url.includes('/page?')) return answer;
        const body = answer.json<{ status: number; data: { total: number } }>();
        return {
          ...answer,
          statusCode: answer.statusCode,
          json: () =>
            body.status === 200 ? { ...body, data: { ...body.data, total: body.data.total + 1 } } : body,
        };
      }) as never,
    });
    const findings = await lookAt({ app: lying, load }, world.staff.slice(0, 20), new Dice(SEED + 1), {
      enough: 1,
    });
    expect(findings.problems.some((one) => one.startsWith('total'))).toBe(true);
    await app.close();
  });
});

/** Kinds of which more lists need more checks: at least this share of what as many of today's lists would take. */
const SCALED: ReadonlySet<Kind> = new Set(['list', 'total', 'counts', 'export', 'detail']);
const SCALE = 0.35;

/** Least number of checks of each kind: a kind that was never looked at proves nothing. */
const LEAST: Readonly<Record<Kind, number>> = {
  list: 1_500,
  total: 1_500,
  counts: 300,
  badge: 200,
  export: 400,
  report: 200,
  drill: 60,
  forbidden: 500,
  detail: 500,
};

function noFindings(): Findings {
  return {
    problems: [],
    checks: {
      list: 0,
      total: 0,
      counts: 0,
      badge: 0,
      export: 0,
      report: 0,
      drill: 0,
      forbidden: 0,
      detail: 0,
    },
    looks: new Map(),
    staff: 0,
    refused: 0,
    rows: 0,
    empty: 0,
    partial: 0,
    full: 0,
  };
}

/** Looks at what staff see; with `enough`, at no more staff once so many problems are found. */
async function lookAt(
  subject: Subject,
  staff: readonly RandomStaff[],
  dice: Dice,
  { concerns, enough = Infinity }: { readonly concerns?: Concerns; readonly enough?: number } = {},
): Promise<Findings> {
  const findings = noFindings();
  const plan = planLooks(staff, dice, findings.looks, concerns);
  const seeds = staff.map(() => dice.upTo(2 ** 31));
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < staff.length && findings.problems.length < enough) {
      const index = next++;
      await lookAtOne(subject, staff[index]!, plan[index]!, new Dice(seeds[index]!), findings);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
  return findings;
}

/**
 * Which staff looks at which lists: each at those it may see that were looked at least so far, lists of rows in projects
 * more often, as these carry most rings. More lists make more looks, so that each gets its floor.
 */
function planLooks(
  staff: readonly RandomStaff[],
  dice: Dice,
  looks: Map<string, number>,
  concerns: Concerns | undefined,
): readonly (readonly ListRule[])[] {
  const each = Math.max(2, Math.ceil((LOOKS * 1.15 * LOOKED_AT.length) / STAFF));
  return staff.map(({ id }) => {
    const allowed = listsFor(rule(id), concerns);
    const least = (lists: readonly ListRule[], count: number) =>
      dice
        .some(lists, lists.length)
        .sort((a, b) => (looks.get(a.name) ?? 0) - (looks.get(b.name) ?? 0))
        .slice(0, count);
    const chosen = new Set([...least(allowed.filter(standsInPlaces), 3), ...least(allowed, each)]);
    for (const list of chosen) looks.set(list.name, (looks.get(list.name) ?? 0) + 1);
    return [...chosen];
  });
}

async function lookAtOne(
  subject: Subject,
  staff: RandomStaff,
  chosen: readonly ListRule[],
  dice: Dice,
  findings: Findings,
): Promise<void> {
  findings.staff++;
  const held = rule(staff.id);
  const ask = async (path: string, payload?: object) => {
    const answer = await subject.app.inject({
      method: payload ? 'POST' : 'GET',
      url: path,
      headers: { authorization: staff.authorization },
      ...(payload ? { payload } : {}),
    });
    return { http: answer.statusCode, body: answer.json() as { status: number; data: any } };
  };
  const report = (kind: Kind, what: string, got: unknown, expected: unknown): void => {
    findings.checks[kind]++;
    const [one, other] = [JSON.stringify(got) ?? 'nothing', JSON.stringify(expected) ?? 'nothing'];
    if (one !== other)
      findings.problems.push(
        `${kind} ${staff.account} ${what}: ${one.slice(0, 200)} instead of ${other.slice(0, 200)}`,
      );
  };
  if (held.row.state !== 'normal') {
    const answer = await ask(`${dice.pick(LOOKED_AT).root}/page?limit=1`);
    report('forbidden', 'disabled', [answer.http, answer.body.status], [401, 40001]);
    findings.refused++;
    return;
  }
  const refused = LOOKED_AT.filter((list) => !held.menus.has(list.menu));
  if (refused.length > 0) {
    const list = dice.pick(refused);
    report('forbidden', list.name, (await ask(`${list.root}/page?limit=1`)).http, 403);
  }
  for (const list of chosen) await lookAtList(subject, list, staff, held, dice, ask, report, findings);
  if (SCREEN) return;
  if (held.menus.has('mm_orderRefund')) {
    const refunds = listOf('refund');
    const waiting = visible(refunds, held).filter((row) => waitsFor(row, held)).length;
    const badge = await ask('/api/jinmao/web/refundAudit/getRefundAuditCount/', {});
    report('badge', 'getRefundAuditCount', badge.body.data?.total, waiting);
    if (dice.chance(0.3)) {
      const { body } = await ask('/api/admin/home/todo');
      const todo = (body.data as { kind: string; count: number }[]).find(
        (one) => one.kind === 'refund_audit',
      );
      report('badge', 'todo', todo?.count, waiting);
    }
  }
  if (held.menus.has('mm_businessAna')) await lookAtReport(held, dice, ask, report);
}

type Ask = (path: string, payload?: object) => Promise<{ http: number; body: { status: number; data: any } }>;
type Report = (kind: Kind, what: string, got: unknown, expected: unknown) => void;

/** Whether the rows of a list belong to tenants or projects, so that staff see some and not others. */
function hasPlaces(list: ListRule): boolean {
  const [one] = placesOf(list);
  return one !== undefined && ['places', 'own'].includes(one.standing.rule);
}

async function lookAtList(
  subject: Subject,
  list: ListRule,
  staff: RandomStaff,
  held: Held,
  dice: Dice,
  ask: Ask,
  report: Report,
  findings: Findings,
): Promise<void> {
  const { query, keeps, parts } = randomFilters(dice, list, held);
  const mine = visible(list, held);
  const expected = mine.filter(keeps);
  const all = placesOf(list).length;
  // Rows of dictionaries and the like belong to nobody: who may look sees all of them, so they say nothing of hidden rows.
  if (hasPlaces(list)) {
    if (mine.length === 0) findings.empty++;
    else if (mine.length < all) findings.partial++;
    else findings.full++;
  }
  const text = new URLSearchParams({ ...query, limit: '100', exact: '1' }).toString();
  const what = `${list.name}?${new URLSearchParams(query).toString()}`;
  const answer = await ask(`${list.root}/page?${text}`);
  if (answer.http !== 200) {
    report('list', what, answer, 200);
    return;
  }
  const { rows, total } = answer.body.data as { rows: { id: string }[]; total: number };
  findings.rows += rows.length;
  const wanted = new Set(expected.map((row) => String(row.id)));
  const got = rows.map((row) => row.id);
  if (expected.length <= 100) report('list', what, [...got].sort(), [...wanted].sort());
  else report('list', what, [new Set(got).size, got.filter((id) => !wanted.has(id))], [100, []]);
  report('total', what, total, expected.length);
  if (list.tabs && dice.chance(0.35)) {
    const { tab: _tab, ...filters } = query;
    const counts = (await ask(`${list.root}/counts?${new URLSearchParams(filters).toString()}`)).body
      .data as Record<string, number>;
    const own = mine.filter((row) => parts.every((part) => part(row)));
    for (const [tab, test] of Object.entries(list.tabs))
      report('counts', `${what} ${tab}`, counts[tab], own.filter((row) => test(row, world, held)).length);
  }
  // One row inside and one outside by its id.
  const inside = mine.length > 0 ? dice.pick(mine) : undefined;
  if (inside && dice.chance(0.3))
    report('detail', `${list.name}/${inside.id}`, (await ask(`${list.root}/${inside.id}`)).http, 200);
  const seen = new Set(mine.map((row) => row.id));
  const outside = Array.from({ length: 6 }, () => dice.pick(placesOf(list)).row).find(
    (row) => !seen.has(row.id),
  );
  if (outside) {
    const path = dice.pick([
      `${list.root}/${outside.id}`,
      ...(list.name === 'role' ? [] : [`${list.root}/${outside.id}/timeline`]),
    ]);
    // A leader may open the group he leads also where the list is narrowed otherwise.
    if (!(list.name === 'role' && held.ledGroups.has(outside.id)))
      report('detail', path, (await ask(path)).http, 404);
  }
  if (list.export && dice.chance(0.35))
    await lookAtExport(subject, list, staff, query, expected, what, report);
}

/** The export as the worker runs it: its source, with the caller the worker would load. */
async function lookAtExport(
  subject: Subject,
  list: ListRule,
  staff: RandomStaff,
  query: Readonly<Record<string, string>>,
  expected: readonly Raw[],
  what: string,
  report: Report,
): Promise<void> {
  const source = registrations
    .flatMap((service) => service.exports ?? [])
    .find((one) => one.source === list.name)!;
  const caller = (await subject.load(staff.id))!;
  const call = { caller, platform: product.platform, language: 'zh' as const };
  const titles = source.columns('zh').map((column) => column.title);
  const { field, title } = list.export!;
  const name = title ?? (field ? fieldsOf(list.resource)[field]!.label[0] : undefined);
  const column = name === undefined ? -1 : titles.indexOf(name);
  if (name !== undefined) expect([list.name, column >= 0]).toEqual([list.name, true]);
  const got: string[] = [];
  for await (const batch of source.read(call, query))
    for (const row of batch) got.push(column < 0 ? '' : String(row[column]));
  const wanted = expected.flatMap((row) =>
    Array.from({ length: list.export!.lines?.(row, world) ?? 1 }, () => list.export!.key(row)),
  );
  report('export', what, got.sort(), wanted.sort());
  report('export', `${what} expected rows`, await source.count(call, query), expected.length);
}

async function lookAtReport(held: Held, dice: Dice, ask: Ask, report: Report): Promise<void> {
  const last = Date.now() - dice.upTo(40) * 86_400_000;
  const [from, to] = [dayOf(new Date(last - dice.upTo(30) * 86_400_000)), dayOf(new Date(last))];
  const query: Record<string, string> = { range: `${from}~${to}`, limit: '200' };
  const projects = dice.chance(0.3)
    ? dice.some(world.rows.project!, 2).map((one) => String(one.id))
    : undefined;
  const merchants = dice.chance(0.3)
    ? dice
        .some(
          world.rows.tenant!.filter((one) => one.kind === 2),
          2,
        )
        .map((one) => String(one.id))
    : undefined;
  if (projects) query.project = projects.join(',');
  if (merchants) query.merchant = merchants.join(',');
  if (dice.chance(0.4)) query.view = 'payDay';
  const what = `businessAna?${new URLSearchParams(query).toString()}`;
  const orders = new Map<number, Raw>();
  for (const { row: order, standing } of placesOf(listOf('goodsOrder'))) {
    if (projects && !projects.includes(String(order.project_id))) continue;
    // A merchant's own tenant is all it ever sees, whatever it asks for.
    if (merchants && held.kind !== 2 && !merchants.includes(String(order.tenant_id))) continue;
    if (maySee(world, held, 'mm_businessAna', standing)) orders.set(order.id, order);
  }
  const within = (at: Date | null) => at !== null && dayOf(at) >= from && dayOf(at) <= to;
  const sums = { qty: 0, goods: 0, paid: 0, returned: 0, refund: 0 };
  for (const order of orders.values())
    if (within(soldAt(order, world)))
      for (const line of by(world, 'order_line', 'order_id').get(order.id) ?? []) {
        sums.qty += line.qty;
        sums.goods += line.goods;
        sums.paid += line.cash;
      }
  for (const refund of world.rows.refund!) {
    const order = orders.get(refund.order_id);
    if (refund.state !== 'succeeded' || !order) continue;
    const sold = soldAt(order, world);
    if (sold === null) continue;
    if (!within(query.view === 'payDay' ? sold : (refund.succeeded_at as Date))) continue;
    for (const line of by(world, 'refund_line', 'refund_id').get(refund.id) ?? []) {
      sums.returned += line.qty;
      sums.refund += line.cash - line.fee;
    }
  }
  const answer = await ask(`/api/jinmao/web/report/businessAna?${new URLSearchParams(query).toString()}`);
  const yuan = (fen: number) => (fen / 100).toFixed(2);
  const { qty, goods, paid, returned, refund, net } = answer.body.data?.sums ?? {};
  report(
    'report',
    what,
    [qty, goods, paid, returned, refund, net],
    [
      sums.qty,
      yuan(sums.goods),
      yuan(sums.paid),
      sums.returned,
      yuan(sums.refund),
      yuan(sums.paid - sums.refund),
    ],
  );
  const rows = (answer.body.data?.rows ?? []) as {
    id: string;
    drill: Record<string, Record<string, string>>;
  }[];
  if (rows.length === 0 || !held.menus.has('mm_businessOrder_wx')) return;
  // The drill opens the list of orders, which is seen by that menu's own scope.
  const row = dice.pick(rows);
  const drill = row.drill.qty!;
  const expected = visible(listOf('goodsOrder'), held).filter(
    (order) =>
      within(soldAt(order, world)) &&
      (!projects || projects.includes(String(order.project_id))) &&
      (!merchants || held.kind === 2 || merchants.includes(String(order.tenant_id))) &&
      (by(world, 'order_line', 'order_id').get(order.id) ?? []).some(
        (line) => String(line.product_id) === row.id,
      ),
  );
  const page = await ask(
    `${listOf('goodsOrder').root}/page?${new URLSearchParams({ ...drill, limit: '1', exact: '1' }).toString()}`,
  );
  report('drill', `${what} ${JSON.stringify(drill)}`, page.body.data?.total, expected.length);
}

const placed = new Map<ListRule, readonly { readonly row: Raw; readonly standing: Standing }[]>();

/** Rows a list is about, with where they stand; worked out once. */
function placesOf(list: ListRule) {
  let rows = placed.get(list);
  if (!rows) {
    const wanted = list.where ? world.rows[list.table]!.filter(list.where) : world.rows[list.table]!;
    placed.set(list, (rows = wanted.map((row) => ({ row, standing: list.standing(row, world) }))));
  }
  return rows;
}

const seenBy = new WeakMap<Held, Map<ListRule, readonly Raw[]>>();

/** Rows the rule lets a staff see in a list. */
function visible(list: ListRule, held: Held): readonly Raw[] {
  let lists = seenBy.get(held);
  if (!lists) seenBy.set(held, (lists = new Map()));
  let rows = lists.get(list);
  if (!rows) {
    rows = placesOf(list).flatMap(({ row, standing }) =>
      maySee(world, held, list.menu, standing) && (list.extra?.(row, world, held) ?? true) ? [row] : [],
    );
    lists.set(list, rows);
  }
  return rows;
}

/** Up to three filters, a tab and a keyword at random, and the same as predicates over raw rows. */
function randomFilters(dice: Dice, list: ListRule, held: Held) {
  const query: Record<string, string> = {};
  const parts: ((row: Raw) => boolean)[] = [];
  for (const [name, filter] of dice.some(Object.entries(filtersOf(list, world)), dice.upTo(3))) {
    const value = filter.value(dice, world);
    query[name] = value;
    parts.push((row) => filter.keeps(row, value, world, held));
  }
  if (list.text && dice.chance(0.15)) {
    const text = list.text(dice.pick(placesOf(list)).row);
    const start = dice.upTo(Math.max(1, text.length - 3));
    const keyword = text.slice(start, start + 3).trim();
    if (keyword.length > 0) {
      query.searchVal = keyword;
      parts.push((row) => list.text!(row).includes(keyword));
    }
  }
  let inTab: ((row: Raw) => boolean) | undefined;
  if (list.tabs && dice.chance(0.4)) {
    const [tab, test] = dice.pick(Object.entries(list.tabs));
    query.tab = tab;
    inTab = (row) => test(row, world, held);
  }
  return {
    query,
    parts,
    keeps: (row: Raw) => parts.every((part) => part(row)) && (inTab === undefined || inTab(row)),
  };
}

async function codesOfFile(taskId: string): Promise<Set<string>> {
  const [file] = await run<{ storage_key: string }>(
    product.platform.database.db,
    `SELECT f.storage_key FROM task t JOIN stored_file f ON f.id = t.file_id WHERE t.id = $1 AND t.state = 'ready'`,
    [taskId],
  );
  if (!file) throw new Refusal(500, 500, ['没有文件', 'no file']);
  const chunks: Buffer[] = [];
  for await (const chunk of await openFileStore(product.platform.config).read(file.storage_key))
    chunks.push(chunk as Buffer);
  const codes = new Set<string>();
  for await (const row of readXlsx(Buffer.concat(chunks), 40))
    for (const cell of row.cells) if (/^SO\d{10,}$/.test(cell)) codes.add(cell);
  return codes;
}
