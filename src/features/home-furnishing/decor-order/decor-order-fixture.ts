import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import type { DecorBook } from './decor-order-wire.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

/** Answer of a call, as the test product gives it. */
export type Answer = Awaited<ReturnType<TestProduct['call']>>;

/** Paths of decor orders and their changes. */
export const ORDER = '/jinmao/web/decorOrder';
export const CHANGE = '/jinmao/web/decorChange';

/** A product with a package as group 14 works it: 89.36 m², 899.00 per m², lock, floor. */
export interface DecorWorld {
  readonly product: TestProduct;
  /** Who sells, who builds, who checks, who keeps the money. */
  readonly seller: string;
  readonly checker: string;
  readonly sellerId: number;
  readonly checkerId: number;
  readonly merchantId: number;
  readonly projectId: number;
  readonly house: string;
  readonly member: string;
  readonly typeId: number;
  readonly packageId: number;
  readonly picture: string;
  act(token: string, id: string, action: string, body?: object): Promise<Answer>;
  must(token: string, id: string, action: string, body?: object): Promise<Answer>;
  read(id: string): Promise<Record<string, unknown>>;
  book(id: string): Promise<DecorBook>;
  /** A quote of the worked example for a house of its own. */
  quote(more?: object): Promise<string>;
  /** Records a receipt for the open receivable of a part and confirms it by the other. */
  pay(id: string, seq: number, amount?: string): Promise<string>;
  record(token: string, id: string, seq: number, amount?: string): Promise<string>;
  /** A quote brought on to a stage, paid as far as it needs to be. */
  at(stage: string, more?: object): Promise<string>;
  newHouse(): Promise<{ house: string; member: string }>;
  /** Publishes the next version at a price per m². */
  sell(price: number): Promise<void>;
}

const ROOMS = JSON.stringify([
  { kind: 'living', name: '客厅', area: '28.50' },
  { kind: 'master', name: '主卧', area: '15.00' },
]);
const NODES = [
  ['开工交底', 500],
  ['拆改', 1000],
  ['水电', 2500],
  ['泥瓦', 2500],
  ['木作', 1500],
  ['油漆', 1000],
  ['安装', 1000],
] as const;

/** Starts a product with the facts of the worked example. */
export async function decorWorld(): Promise<DecorWorld> {
  const product = await startTestProduct();
  const db = () => product.platform.database.db;
  const one = async <T>(sql: string, values: readonly unknown[] = []) =>
    (await runOne<T>(db(), sql, values))!;
  const place = await one<{ tenant: number; project: number; unit: number }>(
    `SELECT t.id AS tenant, p.project_id AS project, (SELECT u.id FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = p.project_id ORDER BY u.id LIMIT 1) AS unit
       FROM tenant t JOIN tenant_project p ON p.tenant_id = t.id
      WHERE t.kind = 2 AND t.merchant_state = 'operating' AND EXISTS (SELECT FROM building b JOIN building_unit u ON u.building_id = b.id WHERE b.project_id = p.project_id) ORDER BY t.id, p.project_id LIMIT 1`,
  );
  const picture = (await one<{ id: string }>(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`)).id;
  const staff = async (account: string) => {
    const { id } = await one<{ id: number }>(
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT id, $1, $1, true, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
      [account],
    );
    for (const menu of [
      'mj_mercureCommodityOrder',
      'accountsConfirm',
      'accountsReceivable',
      'mm_orderRefund',
      'mj_mercureCommodityAfterSales',
    ])
      await grantMenu(db(), id, menu);
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code) SELECT DISTINCT m.group_id, e.code FROM group_member m JOIN menu_grant x ON x.group_id = m.group_id
         JOIN element e ON e.code LIKE x.menu_code || ':%' WHERE m.staff_id = $1 ON CONFLICT DO NOTHING`,
      [id],
    );
    return { id, token: await product.signIn(account) };
  };
  const seller = await staff('decor_seller');
  const checker = await staff('decor_checker');
  const type = await one<{ id: number }>(
    `INSERT INTO house_type (code, project_id, name, rooms, built_area, inner_area, enabled) VALUES ('HTMS1', $1, '样例户型', $2::jsonb, 89.36, 75.00, false) RETURNING id`,
    [place.project, ROOMS],
  );
  const pack = await one<{ id: number }>(
    `INSERT INTO product (code, tenant_id, business_id, kind, name, status) SELECT 'MJMS1', $1, min(id), 'home_decor', '样例整装', 'published' FROM business RETURNING id`,
    [place.tenant],
  );
  await run(db(), 'INSERT INTO product_project (product_id, project_id) VALUES ($1, $2)', [
    pack.id,
    place.project,
  ]);
  await sell(89_900);

  /** Publishes the next version at a price per m². */
  async function sell(price: number) {
    const { id } = await one<{ id: number }>(
      `INSERT INTO decor_version (product_id, name, image_ids, project_ids, detail_html, works_days, price_basis, plan, nodes, cancel_policy, warranty)
       VALUES ($1, '样例整装', $2, $3, '', 90, 'built_area', $4, $5, $6, $7) RETURNING id`,
      [
        pack.id,
        [picture],
        [place.project],
        JSON.stringify([
          { name: '定金', share: 3000, due: 'order', dueDays: 0 },
          { name: '进度款', share: 6000, due: 'started', dueDays: 0 },
          { name: '尾款', share: 1000, due: 'accepted', dueDays: 7 },
        ]),
        JSON.stringify(NODES.map(([name, weight]) => ({ name, weight }))),
        JSON.stringify([
          { stage: 'ordered', fee: 0, share: 0, nodes: false },
          { stage: 'measured', fee: 50_000, share: 0, nodes: false },
          { stage: 'designed', fee: 0, share: 500, nodes: false },
          { stage: 'started', fee: 0, share: 500, nodes: true },
        ]),
        JSON.stringify(
          ['utilities', 'waterproof', 'masonry', 'carpentry', 'paint', 'furniture', 'other'].map(
            (category) => ({
              category,
              months: category === 'utilities' || category === 'waterproof' ? 60 : 24,
            }),
          ),
        ),
      ],
    );
    await run(
      db(),
      'INSERT INTO decor_price (version_id, house_type_id, position, amount) VALUES ($1, $2, 0, $3)',
      [id, type.id, price],
    );
    await run(
      db(),
      `INSERT INTO decor_option (version_id, position, code, room, name, mode, price, excludes) VALUES ($1, 0, 'LOCK', NULL, '智能门锁', 'fixed', 128000, '{}'),
         ($1, 1, 'FLOOR', 'living', '地板升级', 'per_m2', 4500, '{}'), ($1, 2, 'TILE', 'living', '瓷砖升级', 'per_m2', 3000, '{FLOOR}')`,
      [id],
    );
    await run(
      db(),
      `UPDATE decor_version SET standing = 'past' WHERE product_id = $1 AND standing = 'live'`,
      [pack.id],
    );
    await run(
      db(),
      `UPDATE decor_version SET standing = 'live', effective_at = now(), no = 1 + (SELECT coalesce(max(no), 0) FROM decor_version WHERE product_id = $1) WHERE id = $2`,
      [pack.id, id],
    );
  }

  let made = 0;
  const newHouse = async () => {
    made += 1;
    const house = await one<{ id: string }>(
      `INSERT INTO house (unit_id, project_id, number, house_type_id, built_area) VALUES ($1, $2, $3, $4, 89.36) RETURNING id::text AS id`,
      [place.unit, place.project, `MS${made}`, type.id],
    );
    const member = await one<{ id: string }>(
      `INSERT INTO member (name, nickname, phone, project_id) VALUES ($1, $1, $2, $3) RETURNING id::text AS id`,
      [`样客${made}`, `1390000${String(made).padStart(4, '0')}`, place.project],
    );
    await run(
      db(),
      `INSERT INTO household (house_id, member_id, identity, status) VALUES ($1, $2, 'owner', 'normal')`,
      [house.id, member.id],
    );
    return { house: house.id, member: member.id };
  };
  const first = await newHouse();
  const act = (token: string, id: string, action: string, body: object = {}) =>
    product.call(token, 'POST', `${ORDER}/${id}/${action}`, body);
  const must = async (token: string, id: string, action: string, body: object = {}) => {
    const done = await act(token, id, action, body);
    if (done.http !== 200) throw new Error(`${action}: ${done.message} ${JSON.stringify(done.data)}`);
    return done;
  };
  const read = async (id: string) => (await product.call(seller.token, 'GET', `${ORDER}/${id}`)).data;
  const quote = async (more: object = {}) => {
    const home = await newHouse();
    const answer = await product.call(seller.token, 'POST', ORDER, {
      member: home.member,
      project: String(place.project),
      house: home.house,
      package: String(pack.id),
      options: [{ code: 'LOCK' }, { code: 'FLOOR' }],
      discount: '2000.00',
      discountReason: '样板间优惠',
      ...more,
    });
    if (answer.http !== 200) throw new Error(`quote: ${answer.message} ${JSON.stringify(answer.data)}`);
    return answer.data.id as string;
  };
  const record = async (token: string, id: string, seq: number, amount?: string) => {
    const line = await one<{ id: string; member: string; balance: number }>(
      `SELECT r.id::text AS id, o.member_id::text AS member, r.principal + r.charges - r.received AS balance FROM receivable r JOIN decor_order o ON o.id = r.source_id
        WHERE r.source_kind = 'decor' AND o.id = $1 AND r.period_no = $2`,
      [id, seq],
    );
    const sum = amount ?? (line.balance / 100).toFixed(2);
    const answer = await product.call(token, 'POST', '/jinmao/web/receipt', {
      member: line.member,
      project: String(place.project),
      method: 'cash',
      amount: sum,
      receivedOn: new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10),
      allocations: [{ receivable: line.id, amount: sum }],
    });
    if (answer.http !== 200) throw new Error(`receipt: ${answer.message} ${JSON.stringify(answer.data)}`);
    return answer.data.id as string;
  };
  const pay = async (id: string, seq: number, amount?: string) => {
    const receipt = await record(seller.token, id, seq, amount);
    const done = await product.call(checker.token, 'POST', `/jinmao/web/receipt/${receipt}/confirm`, {});
    if (done.http !== 200) throw new Error(`confirm: ${done.message}`);
    return receipt;
  };
  const photos = [picture, picture, picture];
  const steps: readonly (readonly [state: string, go: (id: string) => Promise<unknown>])[] = [
    ['quoting', (id) => must(seller.token, id, 'send')],
    ['deposit_due', (id) => pay(id, 1)],
    [
      'to_accept',
      (id) =>
        must(seller.token, id, 'accept', { manager: String(seller.id), supervisor: String(checker.id) }),
    ],
    [
      'measuring',
      (id) =>
        must(seller.token, id, 'measure', {
          measuredOn: '2026-01-05',
          builtArea: '90.12',
          innerArea: '76.00',
          photos,
        }),
    ],
    [
      'designing',
      (id) => must(seller.token, id, 'design', { drawings: [picture], accepted: true, signature: picture }),
    ],
    [
      'signing',
      (id) =>
        must(seller.token, id, 'sign', {
          contract: [picture],
          plannedStart: '2026-01-05',
          plannedEnd: '2026-04-05',
        }),
    ],
    ['to_start', (id) => must(seller.token, id, 'start')],
    [
      'constructing',
      async (id) => {
        await pay(id, 2);
        for (const _ of NODES) {
          await must(seller.token, id, 'node', { photos: [picture] });
          await must(checker.token, id, 'check', { result: 'passed', photos: [picture, picture] });
        }
      },
    ],
    ['accepting', (id) => must(seller.token, id, 'acceptance', { result: 'passed', signature: picture })],
    ['tail_due', (id) => pay(id, 3)],
  ];
  const at = async (stage: string, more: object = {}) => {
    const id = await quote(more);
    for (const [state, go] of steps) {
      if (state === stage) break;
      await go(id);
    }
    return id;
  };
  return {
    product,
    seller: seller.token,
    checker: checker.token,
    sellerId: seller.id,
    checkerId: checker.id,
    merchantId: place.tenant,
    projectId: place.project,
    house: first.house,
    member: first.member,
    typeId: type.id,
    packageId: pack.id,
    picture,
    act,
    must,
    read,
    book: async (id) => (await product.call(seller.token, 'GET', `${ORDER}/${id}/book`)).data,
    quote,
    pay,
    record,
    at,
    newHouse,
    sell,
  };
}
