import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import type { CodeBook } from './code-book.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import type { StoredPictures } from './pictures.ts';
import type { Glyph } from './product-picture.ts';
import { createRandom } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import { type BusinessCode, DAY, type SeedProduct, type SeedSpec, type World } from './world.ts';

/** Fills the world with the products of the data file; specs get their opening stock. Writes nothing yet. */
export async function planGoods(client: Runner, world: World, pictures: StoredPictures): Promise<void> {
  const data = readSeedFile<GoodsData>('demo-goods');
  const random = createRandom(world.seed, 'goods');
  const classes = await classPaths(client);
  const drafts = data.merchants.flatMap((merchant, index) =>
    merchant.goods.map((entry) => ({ entry, index })),
  );
  let productId = await takeIds(client, 'product', drafts.length);
  let specId = await takeIds(
    client,
    'product_spec',
    drafts.reduce((sum, { entry }) => sum + parseSpecs(entry[3]).length, 0),
  );
  const examples = new Set([data.example.rice, data.example.oil, data.example.tissue].map(([name]) => name));
  drafts.forEach(({ entry, index }, position) => {
    const [name, className, , specText, business] = entry;
    const merchant = world.merchants[index]!;
    const place = position % 15;
    const isExample = examples.has(name);
    const specs = parseSpecs(specText).map((spec, order): SeedSpec => {
      const scarce = !isExample && place === 9 && order === 0;
      const stock = isExample ? 600 : scarce ? random.int(12, 20) : random.int(60, 320);
      return { id: specId++, ...spec, restocked: !scarce, stock, reserved: 0, sold: 0 };
    });
    const projects =
      isExample || !random.chance(0.15) ? merchant.projectIds : merchant.projectIds.slice(0, 3);
    world.products.push({
      id: productId++,
      name,
      merchant,
      business,
      classIds: classes.get(`${business} ${className}`) ?? [],
      projectIds: new Set(projects),
      imageId: pictures.idOf(merchant.no, place),
      supplier: data.merchants[index]!.supplier,
      salesWay: random.weighted(
        ['self', 'consign', 'joint'],
        (way) => ({ self: 6, consign: 3, joint: 1 })[way]!,
      ),
      createdAt: new Date(world.now.getTime() - (150 - (position % 20)) * DAY + position * 61_000),
      // One product of each merchant shows another state than 出售中.
      orderable: place !== 11,
      specs,
    });
  });
}

/** Writes products, specs with the stock that the orders left, projects, classes and reviews. */
export async function writeGoods(client: Runner, world: World, codes: CodeBook): Promise<void> {
  const data = readSeedFile<GoodsData>('demo-goods');
  const random = createRandom(world.seed, 'goods-rows');
  const units = new Map(
    data.merchants.flatMap((merchant) => merchant.goods.map(([name, , unit]) => [name, unit])),
  );
  const { rows: businesses } = await client.query<{ id: string; code: string }>(
    'SELECT id, code FROM business',
  );
  const businessId = new Map(businesses.map((row) => [row.code, row.id]));
  const sorted = [...world.products].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const code = new Map(sorted.map((product) => [product.id, codes.next('PD', product.createdAt)]));
  const merchantStaff = (product: SeedProduct) => world.staff.get(`merchant${product.merchant.no}`)!.id;
  const reviewer = world.staff.get('mall1')!.id;
  const products: SeedRow[] = [];
  const reviews: SeedRow[] = [];
  for (const product of world.products) {
    const status = product.orderable ? 'published' : STATUS_OF[(product.merchant.no - 1) % STATUS_OF.length]!;
    const appliedAt = new Date(product.createdAt.getTime() + DAY / 2);
    const waiting = new Date(world.now.getTime() - random.int(2, 60) * 3_600_000);
    const reviewedAt = new Date(product.createdAt.getTime() + DAY);
    products.push({
      id: product.id,
      code: code.get(product.id),
      tenant_id: product.merchant.id,
      business_id: businessId.get(product.business),
      name: product.name,
      summary: `${product.supplier} ${product.specs.map((spec) => spec.name).join(' / ')}`.slice(0, 120),
      logo_ids: product.imageId ? [product.imageId] : [],
      detail_html: `<h3>${product.name}</h3><p>${data.detail}</p>`,
      labels: random.shuffle(data.labels).slice(0, random.int(0, 3)),
      supplier: product.supplier,
      sales_way: product.salesWay,
      delivery: product.merchant.no === 1 ? 'self' : 'third',
      after_sale_text: data.afterSale,
      status,
      off_reason: status === 'off_shelf' ? data.offReason : '',
      applied_at: status === 'draft' ? null : status === 'reviewing' ? waiting : appliedAt,
      applied_by: status === 'draft' ? null : merchantStaff(product),
      published_at: status === 'published' || status === 'off_shelf' ? reviewedAt : null,
      created_at: product.createdAt,
      created_by: merchantStaff(product),
      updated_at: status === 'reviewing' ? waiting : reviewedAt,
    });
    if (status === 'draft') continue;
    reviews.push({
      product_id: product.id,
      kind: 'publish',
      state: status === 'reviewing' ? 'waiting' : status === 'rejected' ? 'rejected' : 'passed',
      applied_by: merchantStaff(product),
      applied_at: status === 'reviewing' ? waiting : appliedAt,
      reviewed_by: status === 'reviewing' ? null : reviewer,
      reviewed_at: status === 'reviewing' ? null : reviewedAt,
      reason: status === 'rejected' ? data.rejectReason : '',
    });
  }
  await insertRows(client, 'product', products);
  await insertRows(client, 'product_spec', specRows(world, units, random.digits));
  await insertRows(
    client,
    'product_project',
    world.products.flatMap((product) =>
      [...product.projectIds].map((id) => ({ product_id: product.id, project_id: id })),
    ),
  );
  await insertRows(
    client,
    'product_class_member',
    world.products.flatMap((product) =>
      product.classIds.slice(0, 1).map((id) => ({ product_id: product.id, class_id: id })),
    ),
  );
  await insertRows(client, 'product_review', reviews);
  const links = new Set(
    world.products.map((product) => `${product.merchant.id} ${businessId.get(product.business)}`),
  );
  await insertRows(
    client,
    'tenant_business',
    [...links].map((link) => ({ tenant_id: link.split(' ')[0], business_id: link.split(' ')[1] })),
  );
}

/** Shape of demo-goods.json. */
export interface GoodsData {
  example: {
    rice: [string, string];
    oil: [string, string];
    tissue: [string, string];
    phone: string;
    name: string;
    points: number;
  };
  afterSale: string;
  detail: string;
  offReason: string;
  rejectReason: string;
  labels: string[];
  colours: number[];
  /** Name, class, unit, "spec:price:market price …" in yuan, business. */
  merchants: { glyph: Glyph; supplier: string; goods: [string, string, string, string, BusinessCode][] }[];
}

const STATUS_OF = [
  'draft',
  'reviewing',
  'rejected',
  'off_shelf',
  'reviewing',
  'off_shelf',
  'reviewing',
  'draft',
];

function parseSpecs(text: string): { name: string; price: number; marketPrice: number }[] {
  return [...text.matchAll(/([^:]+):([\d.]+):([\d.]+)\s*/g)].map(([, name, price, market]) => ({
    name: name!,
    price: fenFromYuan(price!)!,
    marketPrice: fenFromYuan(market!)!,
  }));
}

/** A class and those above it, the class first, by "business name". */
async function classPaths(client: Runner): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ id: string; parent_id: string | null; name: string; code: string }>(
    `SELECT c.id, c.parent_id, c.name, b.code FROM product_class c JOIN business b ON b.id = c.business_id ORDER BY c.id`,
  );
  return new Map(
    rows.map((row) => [
      `${row.code} ${row.name}`,
      row.parent_id === null ? [String(row.id)] : [String(row.id), String(row.parent_id)],
    ]),
  );
}

function specRows(
  world: World,
  units: ReadonlyMap<string, string>,
  digits: (count: number) => string,
): SeedRow[] {
  return world.products.flatMap((product) =>
    product.specs.map((spec, index) => ({
      id: spec.id,
      product_id: product.id,
      code: `S${String(index + 1).padStart(2, '0')}`,
      name: spec.name,
      price: spec.price,
      market_price: spec.marketPrice,
      stock: spec.stock,
      reserved: spec.reserved,
      sold: spec.sold,
      stock_alert: 10,
      unit: units.get(product.name),
      weight_g: 100 + ((spec.id * 137) % 4_900),
      barcode: `69${digits(11)}`,
    })),
  );
}
