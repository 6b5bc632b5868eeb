import { createHash } from 'node:crypto';
import type pg from 'pg';
import { insertRows, type Runner, type SeedRow, takeIds } from './seed-demo/insert-rows.ts';
import { seedDictionaries } from './seed-dictionaries.ts';
import { readSeedFile } from './seed-demo/seed-file.ts';
import { fillRegionWords } from '../../domain/region/region-words.server.ts';

/**
 * Writes the rows every installation needs: group types, the platform's tenant and its administrator group, the web
 * client, businesses with their classes, regions, dictionaries. Safe to repeat: what exists, even renamed, is left as it is.
 */
export async function seedReference(db: pg.Pool): Promise<void> {
  const client = await db.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
    const reference = readSeedFile<Reference>('reference');
    await seedAccess(client, reference);
    await seedBusinesses(client, reference);
    await seedRegions(client);
    await seedDictionaries(client);
    await seedPayees(client);
    await fillRegionWords(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection itself may be gone
    throw error;
  } finally {
    client.release();
  }
}

/** Advisory lock that keeps two starting instances from seeding at once. */
export const SEED_LOCK = 7_204_615_319;

interface Reference {
  groupTypes: { code: string; name: string; name_en: string; description: string }[];
  platform: { account: string; name: string };
  platformAdmin: { code: string; name: string; description: string };
  webClient: { clientId: string; secret: string; name: string };
  businesses: {
    code: string;
    name: string;
    nameEn: string;
    type: number;
    createType: number;
    autoCancelMinutes: number | null;
    autoSignMinutes: number | null;
  }[];
  /** By business code: classes of the first level with those below them. */
  classes: Record<string, [string, string[]][]>;
  /** English names of classes. */
  classNames: Record<string, string>;
}

interface Regions {
  /** Code, name and cities of a province; a city has its code, name and districts as "01name 02name". */
  provinces: [string, string, [string, string, string][]][];
}

/**
 * Accounts of the sandbox, one a channel, for every company and business: a new installation takes its first payment without
 * anything set up. Payments of releases that kept no account are theirs.
 */
async function seedPayees(client: Runner): Promise<void> {
  await client.query(
    `WITH made AS (
       INSERT INTO payee_account (code, name, tenant_id, channel, account_name, fee_ppm, state, built_in, is_pay_in_mall, mall_enabled)
       SELECT 'SANDBOX-' || upper(c.channel), c.name, t.id, c.channel, t.name, 0, 'active', true, true, true
         FROM (VALUES ('alipay', '沙箱收款（支付宝）'), ('wechat', '沙箱收款（微信）')) AS c (channel, name)
         CROSS JOIN (SELECT id, name FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1) t
        WHERE NOT EXISTS (SELECT FROM payee_account a WHERE a.built_in AND a.channel = c.channel)
       RETURNING id, channel),
     assigned AS (
       INSERT INTO payee_assignment (account_id, level, business_type, channel, effective_from)
       SELECT id, 'company', '*', channel, '2020-01-01T00:00:00+08:00' FROM made)
     UPDATE payment p SET payee_account_id = made.id FROM made
      WHERE p.state = 2 AND p.payee_account_id IS NULL AND p.channel = CASE made.channel WHEN 'alipay' THEN 1 ELSE 2 END`,
  );
}

async function seedAccess(client: Runner, reference: Reference): Promise<void> {
  await insertMissing(
    client,
    'group_type',
    'code',
    reference.groupTypes.map((type) => ({ ...type, built_in: true })),
  );
  await insertMissing(client, 'tenant', 'account', [{ kind: 3, ...reference.platform }]);
  const { platformAdmin, platform } = reference;
  await client.query(
    `INSERT INTO permission_group (type_id, tenant_id, code, name, description, built_in)
     SELECT t.id, p.id, $1, $2, $3, true FROM group_type t, tenant p WHERE t.code = 'role' AND p.account = $4
     ON CONFLICT (code) DO NOTHING`,
    [platformAdmin.code, platformAdmin.name, platformAdmin.description, platform.account],
  );
  const { clientId, secret, name } = reference.webClient;
  await client.query(
    `WITH made AS (
       INSERT INTO oauth_client (client_id, name, type, builtin, public_value, rate_per_minute)
       VALUES ($1, $3, 'public', true, $4, 6000) ON CONFLICT DO NOTHING RETURNING client_id)
     INSERT INTO client_secret (client_id, slot, hash, hint) SELECT client_id, 1, $2, right($4, 4) FROM made`,
    [clientId, createHash('sha256').update(secret).digest(), name, secret],
  );
}

async function seedBusinesses(client: Runner, reference: Reference): Promise<void> {
  await insertMissing(
    client,
    'business',
    'code',
    reference.businesses.map((business, place) => ({
      code: business.code,
      name: business.name,
      name_en: business.nameEn,
      sort: 5 * (place + 1),
      type: business.type,
      create_type: business.createType,
      auto_cancel_minutes: business.autoCancelMinutes,
      auto_sign_minutes: business.autoSignMinutes,
    })),
  );
  // Classes have no code, so they are written once, with the business that has none yet.
  const { rows } = await client.query<{ id: string; code: string }>(
    `SELECT id, code FROM business b WHERE NOT EXISTS (SELECT FROM product_class c WHERE c.business_id = b.id) ORDER BY id`,
  );
  // Those at the top stand in one order, business by business.
  const { rows: tops } = await client.query<{ n: number }>(
    'SELECT coalesce(max(sort), 0)::int AS n FROM product_class WHERE parent_id IS NULL',
  );
  let top = tops[0]!.n;
  const named = (name: string) => ({ name, name_en: reference.classNames[name] ?? '' });
  for (const business of rows) {
    const classes = reference.classes[business.code] ?? [];
    const first = await takeIds(
      client,
      'product_class',
      classes.reduce((count, [, below]) => count + 1 + below.length, 0),
    );
    let id = first;
    const added: SeedRow[] = [];
    classes.forEach(([name, below]) => {
      const parent = id;
      added.push({ id, business_id: business.id, parent_id: null, ...named(name), sort: ++top });
      id += 1;
      below.forEach((child, position) => {
        added.push({ id, business_id: business.id, parent_id: parent, ...named(child), sort: position + 1 });
        id += 1;
      });
    });
    await insertRows(client, 'product_class', added);
  }
}

async function seedRegions(client: Runner): Promise<void> {
  const levels: { code: string; name: string; parent: string | null; sort: number }[][] = [[], [], []];
  const { provinces } = readSeedFile<Regions>('regions');
  provinces.forEach(([code, name, cities], sort) => {
    levels[0]!.push({ code, name, parent: null, sort });
    cities.forEach(([cityCode, cityName, districts], citySort) => {
      levels[1]!.push({ code: cityCode, name: cityName, parent: code, sort: citySort });
      districts
        .split(' ')
        .filter(Boolean)
        .forEach((district, districtSort) => {
          const districtCode = cityCode.slice(0, 4) + district.slice(0, 2);
          levels[2]!.push({
            code: districtCode,
            name: district.slice(2),
            parent: cityCode,
            sort: districtSort,
          });
        });
    });
  });
  for (const [index, regions] of levels.entries()) {
    await client.query(
      `INSERT INTO region (code, name, level, parent_id, sort)
       SELECT d.code, d.name, $2, p.id, d.sort
         FROM jsonb_to_recordset($1::jsonb) AS d (code text, name text, parent text, sort integer)
         LEFT JOIN region p ON p.code = d.parent
        WHERE NOT EXISTS (SELECT FROM region r WHERE r.code = d.code)
        ORDER BY d.code`,
      [JSON.stringify(regions), index + 1],
    );
  }
}

/** Not ON CONFLICT: a refused row would use up a key at every start. */
async function insertMissing(
  client: Runner,
  table: string,
  key: string,
  rows: readonly SeedRow[],
): Promise<void> {
  const { rows: found } = await client.query<{ key: string }>(`SELECT ${key} AS key FROM ${table}`);
  const present = new Set(found.map((row) => row.key));
  await insertRows(
    client,
    table,
    rows.filter((row) => !present.has(String(row[key]))),
  );
}
