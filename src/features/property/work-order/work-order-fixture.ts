import type { Caller } from '../../../kernel/server/people/caller.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { callerOf, openMall, type Answer, type Mall } from '../../mall/product/mall-fixture.ts';
import { workOrder } from './work-order.contract.ts';
import { registration } from './work-order.server.ts';

/** Where work orders live. */
export const ORDERS = '/jinmao/web/workOrder';

/** A company that runs the first project with a dispatcher, three plumbers and one who is none. */
export interface Desk extends Mall {
  readonly company: number;
  readonly house: number;
  readonly building: number;
  readonly dispatcher: Caller;
  readonly plumbers: readonly Caller[];
  readonly gardener: Caller;
  /** A staff of the company who works in the second project alone. */
  readonly stranger: Caller;
  sql<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  worker(name: string, skills?: readonly string[]): Promise<Caller>;
  order(more?: Readonly<Record<string, unknown>>): Promise<string>;
  act(caller: Caller, id: string, action: string, body?: object): Promise<Answer>;
  row(caller: Caller, id: string): Promise<Answer['data']>;
}

const WORKER = [
  'btn_accept',
  'btn_return',
  'btn_start',
  'btn_pause',
  'btn_resume',
  'btn_finish',
  'btn_transfer',
];

/** Opens the desk of the tests of work orders. */
export async function openDesk(
  more: readonly Registration[] = [],
  menus: readonly string[] = [],
): Promise<Desk> {
  const mall = await openMall([registration, ...more]);
  const sql = <T>(text: string, values: readonly unknown[] = []) =>
    run<T>(mall.platform.database.db, text, values);
  const one = async (text: string, values: readonly unknown[] = []) =>
    (await runOne<{ id: number }>(mall.platform.database.db, text, values))!.id;
  const { north, south } = mall.ids;
  const company = await one(
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'C9', 'company') RETURNING id`,
  );
  await sql('INSERT INTO tenant_project VALUES ($1, $2), ($1, $3)', [company, north, south]);
  const building = await one(`INSERT INTO building (project_id, name) VALUES ($1, '1号楼') RETURNING id`, [
    north,
  ]);
  const unit = await one(`INSERT INTO building_unit (building_id, name) VALUES ($1, '1单元') RETURNING id`, [
    building,
  ]);
  const house = await one(
    `INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, '101', 100) RETURNING id`,
    [north, unit],
  );
  const person = async (
    name: string,
    project: number,
    elements: readonly string[],
    skills: readonly string[],
  ) => {
    const staffId = await one(
      `INSERT INTO staff (tenant_id, account, name, phone, is_service_staff, skills) VALUES ($1, $2, $2, $3, $4, $5) RETURNING id`,
      [company, name, null, skills.length > 0, skills],
    );
    await sql('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staffId, project]);
    return callerOf(
      { staffId, tenantId: company, tenantKind: 1, name, projectIds: [project] },
      [workOrder.menu, ...menus],
      elements.map((element) => elementCode(workOrder, element)),
    );
  };
  const every = Object.keys(elementsOf(workOrder));
  const worker = (name: string, skills: readonly string[] = ['water', 'lock']) =>
    person(name, north, WORKER, skills);
  const dispatcher = await person('dispatch', north, every, []);
  let turn = 0;
  const desk: Desk = {
    ...mall,
    company,
    house,
    building,
    dispatcher,
    plumbers: [await worker('plumb1'), await worker('plumb2'), await worker('plumb3')],
    gardener: await worker('garden', ['green']),
    stranger: await person('strange', south, every, ['water']),
    sql,
    worker,
    order: async (extra = {}) => {
      turn += 1;
      const made = await mall.call(dispatcher, 'POST', ORDERS, {
        class: 'repair',
        project: String(north),
        house: String(house),
        category: '113',
        urgency: 'normal',
        title: `马桶漏水 ${turn}`,
        description: '马桶底座渗水，地面有积水',
        contactName: '陈思雨',
        contactPhone: '13800138000',
        ...extra,
      });
      if (made.http !== 200) throw new Error(`${made.message} ${JSON.stringify(made.data)}`);
      return String(made.data.id);
    },
    act: (caller, id, action, body = {}) => mall.call(caller, 'POST', `${ORDERS}/${id}/${action}`, body),
    row: async (caller, id) => (await mall.call(caller, 'GET', `${ORDERS}/${id}`)).data,
  };
  return desk;
}

/** Delivers the dispatch effect of an order at once. */
export async function deliverDispatch(desk: Desk, id: string): Promise<void> {
  const [effect] = await desk.sql<{ id: number; kind: string }>(
    `SELECT id, kind FROM outbox WHERE kind = 'wo.dispatch' AND (payload->>'orderId')::bigint = $1`,
    [id],
  );
  const handler = registration.effects!.find((one) => one.kind === effect!.kind)!;
  await handler.deliver({ orderId: Number(id) } as never, desk.platform, effect!.id);
}
