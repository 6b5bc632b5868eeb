import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import type { CancelRule, OptionMode, PriceBasis } from './price.rules.ts';
import type { RoomKind } from './rooms.rules.ts';
import type { DueEvent, WarrantyCategory } from './decor-version.rules.ts';

/** What a version of a package says, as it is kept: money in fen, shares in hundredths of a percent. */
export interface VersionContent {
  readonly name: string;
  readonly styleId: number | null;
  readonly images: readonly string[];
  readonly projectIds: readonly number[];
  readonly detailHtml: string;
  readonly days: number;
  readonly basis: PriceBasis;
  readonly minCharge: number;
  readonly terms: string;
  readonly prices: readonly VersionPrice[];
  readonly items: readonly VersionItem[];
  readonly options: readonly VersionOption[];
  readonly plan: readonly PlanRow[];
  readonly nodes: readonly { readonly name: string; readonly weight: number }[];
  readonly cancel: readonly CancelRule[];
  readonly warranty: readonly { readonly category: WarrantyCategory; readonly months: number }[];
}

export interface VersionPrice {
  readonly houseTypeId: number;
  readonly amount: number;
  readonly cost: number | null;
}

export interface VersionItem {
  readonly room: RoomKind;
  readonly category: string;
  readonly name: string;
  readonly brand: string;
  readonly spec: string;
  readonly rule: OptionMode;
  readonly quantity: string;
  readonly included: boolean;
}

export interface VersionOption {
  readonly code: string;
  readonly room: RoomKind | null;
  readonly group: string;
  readonly single: boolean;
  readonly name: string;
  readonly mode: OptionMode;
  readonly price: number;
  readonly preset: boolean;
  readonly requires: readonly string[];
  readonly excludes: readonly string[];
}

export interface PlanRow {
  readonly name: string;
  readonly share: number;
  readonly due: DueEvent;
  readonly dueDays: number;
}

/** A version with its number and standing. */
export interface StoredVersion extends VersionContent {
  readonly id: number;
  readonly no: number | null;
  readonly standing: 'working' | 'live' | 'past';
  readonly effectiveAt: Date | null;
}

/** The version a package is written in or, where there is none, the one that is sold. */
export async function currentVersion(db: Executor, productId: number): Promise<StoredVersion | undefined> {
  const row = await runOne<{ id: number }>(
    db,
    `SELECT id FROM decor_version WHERE product_id = $1 AND standing IN ('working', 'live') ORDER BY standing DESC LIMIT 1`,
    [productId],
  );
  return row && readVersion(db, row.id);
}

/** One version by its id. */
export async function readVersion(db: Executor, id: number): Promise<StoredVersion | undefined> {
  const row = await runOne<{
    id: number;
    no: number | null;
    standing: StoredVersion['standing'];
    effective_at: Date | null;
    name: string;
    style_id: number | null;
    image_ids: string[];
    project_ids: number[];
    detail_html: string;
    works_days: number;
    price_basis: PriceBasis;
    min_charge: number;
    terms: string;
    plan: PlanRow[];
    nodes: { name: string; weight: number }[];
    cancel_policy: CancelRule[];
    warranty: { category: WarrantyCategory; months: number }[];
  }>(db, 'SELECT * FROM decor_version WHERE id = $1', [id]);
  if (!row) return undefined;
  return {
    id: row.id,
    no: row.no,
    standing: row.standing,
    effectiveAt: row.effective_at,
    name: row.name,
    styleId: row.style_id,
    images: row.image_ids,
    projectIds: row.project_ids.map(Number),
    detailHtml: row.detail_html,
    days: row.works_days,
    basis: row.price_basis,
    minCharge: Number(row.min_charge),
    terms: row.terms,
    plan: row.plan,
    nodes: row.nodes,
    cancel: row.cancel_policy,
    warranty: row.warranty,
    prices: await run<VersionPrice>(
      db,
      'SELECT house_type_id AS "houseTypeId", amount, cost FROM decor_price WHERE version_id = $1 ORDER BY position, house_type_id',
      [id],
    ),
    items: await run<VersionItem>(
      db,
      'SELECT room, category, name, brand, spec, rule, quantity::text AS quantity, included FROM decor_item WHERE version_id = $1 ORDER BY position, id',
      [id],
    ),
    options: await run<VersionOption>(
      db,
      `SELECT code, room, choice_group AS "group", single, name, mode, price, preset, requires, excludes FROM decor_option WHERE version_id = $1 ORDER BY position, id`,
      [id],
    ),
  };
}

/** Writes the version a package is worked on, in place of what it said before; the caller holds the package's lock. */
export async function writeWorking(
  tx: Tx,
  productId: number,
  content: VersionContent,
  staffId: number | null,
): Promise<number> {
  const columns = {
    name: content.name,
    style_id: content.styleId,
    image_ids: content.images,
    project_ids: content.projectIds,
    detail_html: content.detailHtml,
    works_days: content.days,
    price_basis: content.basis,
    min_charge: content.minCharge,
    terms: content.terms,
    plan: JSON.stringify(content.plan),
    nodes: JSON.stringify(content.nodes),
    cancel_policy: JSON.stringify(content.cancel),
    warranty: JSON.stringify(content.warranty),
    updated_by: staffId,
  };
  const known = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM decor_version WHERE product_id = $1 AND standing = 'working' FOR UPDATE`,
    [productId],
  );
  let id = known?.id;
  if (id === undefined)
    id = await insertRow(tx, 'decor_version', { product_id: productId, created_by: staffId, ...columns });
  else {
    const names = Object.keys(columns) as (keyof typeof columns)[];
    await run(
      tx,
      `UPDATE decor_version SET updated_at = now(), ${names.map((name, at) => `${name} = $${at + 2}`).join(', ')} WHERE id = $1`,
      [id, ...names.map((name) => columns[name])],
    );
    for (const table of ['decor_price', 'decor_item', 'decor_option'])
      await run(tx, `DELETE FROM ${table} WHERE version_id = $1`, [id]);
  }
  await run(
    tx,
    `INSERT INTO decor_price (version_id, house_type_id, position, amount, cost)
     SELECT $1, (p.one->>'houseTypeId')::bigint, p.n, (p.one->>'amount')::bigint, (p.one->>'cost')::bigint FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS p (one, n)`,
    [id, JSON.stringify(content.prices)],
  );
  await run(
    tx,
    `INSERT INTO decor_item (version_id, position, room, category, name, brand, spec, rule, quantity, included)
     SELECT $1, i.n, i.one->>'room', i.one->>'category', i.one->>'name', i.one->>'brand', i.one->>'spec', i.one->>'rule', (i.one->>'quantity')::numeric, (i.one->>'included')::boolean
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS i (one, n)`,
    [id, JSON.stringify(content.items)],
  );
  await run(
    tx,
    `INSERT INTO decor_option (version_id, position, code, room, choice_group, single, name, mode, price, preset, requires, excludes)
     SELECT $1, o.n, o.one->>'code', o.one->>'room', o.one->>'group', (o.one->>'single')::boolean, o.one->>'name', o.one->>'mode', (o.one->>'price')::bigint, (o.one->>'preset')::boolean,
            ARRAY(SELECT jsonb_array_elements_text(o.one->'requires')), ARRAY(SELECT jsonb_array_elements_text(o.one->'excludes'))
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS o (one, n)`,
    [id, JSON.stringify(content.options)],
  );
  return id;
}

/** Makes the version a package is worked on the one that is sold, with the next number. The caller holds the package's lock. */
export async function publishWorking(tx: Tx, productId: number): Promise<StoredVersion> {
  await run(tx, `UPDATE decor_version SET standing = 'past' WHERE product_id = $1 AND standing = 'live'`, [
    productId,
  ]);
  const row = await runOne<{ id: number }>(
    tx,
    `UPDATE decor_version SET standing = 'live', effective_at = now(),
            no = 1 + coalesce((SELECT max(o.no) FROM decor_version o WHERE o.product_id = $1), 0)
      WHERE product_id = $1 AND standing = 'working' RETURNING id`,
    [productId],
  );
  return (await readVersion(tx, row!.id))!;
}

/** Base price of a price row (`x`) of a version (`v`) for its house type (`y`), in fen. */
const BASE = `greatest(v.min_charge, CASE v.price_basis WHEN 'fixed' THEN x.amount
                WHEN 'built_area' THEN round(x.amount * y.built_area) ELSE round(x.amount * y.inner_area) END)`;

/** Packages (`product_id`) with the least and highest base price of what is sold, else of what is written. */
export const PRICE_SPANS = `SELECT v.product_id, min(${BASE})::bigint AS low, max(${BASE})::bigint AS high
       FROM decor_version v JOIN decor_price x ON x.version_id = v.id JOIN house_type y ON y.id = x.house_type_id
      WHERE v.standing = 'live' OR (v.standing = 'working' AND NOT EXISTS (SELECT FROM decor_version o WHERE o.product_id = v.product_id AND o.standing = 'live'))
      GROUP BY v.product_id`;

/** Least and highest base price of a version over its house types. */
export async function priceSpanOf(db: Executor, versionId: number): Promise<{ low: number; high: number }> {
  return (await runOne<{ low: number; high: number }>(
    db,
    `SELECT coalesce(min(${BASE}), 0)::bigint AS low, coalesce(max(${BASE}), 0)::bigint AS high
       FROM decor_price x JOIN decor_version v ON v.id = x.version_id JOIN house_type y ON y.id = x.house_type_id WHERE x.version_id = $1`,
    [versionId],
  ))!;
}

/** After the areas of a house type changed: what its packages show as price follows. */
export async function refreshSpans(tx: Tx, houseTypeId: number): Promise<void> {
  await run(
    tx,
    `UPDATE product p SET price_min = s.low, price_max = s.high FROM (${PRICE_SPANS}) s
      WHERE s.product_id = p.id AND p.id IN (SELECT v.product_id FROM decor_price x JOIN decor_version v ON v.id = x.version_id WHERE x.house_type_id = $1)`,
    [houseTypeId],
  );
}
