import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { STALE } from '../../../kernel/server/resource/run-action.ts';
import { MAX_REGIONS } from '../product/product-area.server.ts';
import { noDeliveryArea, type NoDeliverySet } from './no-delivery-area.contract.ts';

const ROOT = '/jinmao/web/noDeliveryArea';
const idText = z.string().regex(/^\d{1,15}$/);

/** Merchants whose set a caller keeps: its own, those of its projects, all. A set belongs to nobody in person. */
function merchantInReach(column: string, caller: Caller, parameters: Parameters): string {
  if (caller.tenantKind === 2) return `${column} = ${parameters.bind(caller.tenantId)}`;
  if (caller.projectIds === null) return 'TRUE';
  return `EXISTS (SELECT FROM tenant_project scope_tp WHERE scope_tp.tenant_id = ${column} AND scope_tp.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[]))`;
}

const bound = bindResource(noDeliveryArea, {
  table: 'no_delivery_area',
  from: `no_delivery_area t LEFT JOIN region r ON r.id = t.region_id LEFT JOIN region r1 ON r1.id = r.parent_id
         LEFT JOIN region r2 ON r2.id = r1.parent_id LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN staff s ON s.id = t.created_by`,
  where: 't.product_id IS NULL',
  scope: {
    tenant: 't.tenant_id',
    project: 'none',
    owner: 't.created_by',
    own: (caller, parameters) => merchantInReach('t.tenant_id', caller, parameters),
  },
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    regionCode: 'r.code',
    fullName: `concat_ws(' / ', r2.name, r1.name, r.name)`,
    level: 'r.level::text',
    addedBy: { id: 't.created_by', title: 's.name' },
    addedAt: 't.created_at',
  },
  keyword: (value, parameters) =>
    `(r.search LIKE ${parameters.bind(`%${value.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)} OR m.name = ${parameters.bind(value)})`,
  filters: {
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `t.tenant_id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/set`,
      title: ['商户的不配送区域', 'The set of a merchant'],
      access: { code: noDeliveryArea.menu },
      query: z.strictObject({ tenantId: idText.optional() }),
      handle: async ({ platform, caller, query }) => {
        const { db } = platform.database;
        return setOf(db, await merchantOf(db, caller, query.tenantId));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/set`,
      title: ['保存不配送区域', 'Save the set of a merchant'],
      access: { code: `${noDeliveryArea.menu}:btn_save` },
      body: z.strictObject({
        tenantId: idText.optional(),
        version: z.number().int().min(1),
        regions: z.array(idText).max(MAX_REGIONS),
      }),
      handle: async ({ platform, caller, facts, body }) => {
        const set = await transaction(platform.database.db, async (tx) => {
          const tenantId = await merchantOf(tx, caller, body.tenantId);
          await replaceSet(tx, { caller, facts }, tenantId, body.version, body.regions.map(Number));
          return setOf(tx, tenantId);
        });
        platform.changed(noDeliveryArea.name);
        return set;
      },
    }),
  ],
});

/** Regions merchants do not deliver to. */
export const registration = bound.registration;

/** The merchant that is meant: a merchant's own whatever it asks for. Throws 404 outside of what the caller keeps. */
async function merchantOf(db: Executor, caller: Caller, asked: string | undefined): Promise<number> {
  const wanted = caller.tenantKind === 2 ? caller.tenantId : asked === undefined ? undefined : Number(asked);
  if (wanted === undefined) throw invalid({ tenantId: ['请选择商户', 'Please choose a merchant'] });
  const parameters = new Parameters();
  const found = await runOne(
    db,
    `SELECT FROM tenant t WHERE t.id = ${parameters.bind(wanted)} AND t.kind = 2 AND ${merchantInReach('t.id', caller, parameters)}`,
    parameters.values,
  );
  if (!found) throw notFound();
  return wanted;
}

async function setOf(db: Executor, tenantId: number): Promise<NoDeliverySet> {
  const head = (await runOne<{
    name: string;
    version: number;
    updated_at: Date | null;
    who: string | null;
    own: number;
  }>(
    db,
    `SELECT m.name, coalesce(s.version, 1) AS version, s.updated_at, w.name AS who,
            (SELECT count(DISTINCT a.product_id) FROM no_delivery_area a WHERE a.tenant_id = m.id AND a.product_id IS NOT NULL)::int AS own
       FROM tenant m LEFT JOIN no_delivery_set s ON s.tenant_id = m.id LEFT JOIN staff w ON w.id = s.updated_by WHERE m.id = $1`,
    [tenantId],
  ))!;
  const rows = await run<{
    id: number;
    title: string;
    level: number;
    enabled: boolean;
    created_at: Date;
    who: string | null;
  }>(
    db,
    `SELECT r.id, concat_ws(' / ', r2.name, r1.name, r.name) AS title, r.level, r.enabled, a.created_at, s.name AS who
       FROM no_delivery_area a JOIN region r ON r.id = a.region_id LEFT JOIN region r1 ON r1.id = r.parent_id LEFT JOIN region r2 ON r2.id = r1.parent_id
       LEFT JOIN staff s ON s.id = a.created_by
      WHERE a.tenant_id = $1 AND a.product_id IS NULL ORDER BY r.code, r.id`,
    [tenantId],
  );
  return {
    tenantId: String(tenantId),
    merchant: head.name,
    version: head.version,
    updatedAt: head.updated_at && isoInstant(head.updated_at),
    updatedBy: head.who,
    areas: rows.map((row) => ({
      id: String(row.id),
      title: row.title,
      level: row.level,
      enabled: row.enabled,
      addedAt: isoInstant(row.created_at),
      addedBy: row.who,
    })),
    productsWithOwn: head.own,
  };
}

/**
 * Command: makes regions the whole set of a merchant. Those below another of them are left out, as it stands for them.
 * Throws 30101 when the set is not the version that was looked at, 422 for regions that do not exist.
 * Source: group 08, mm_noDeliveryArea.
 */
async function replaceSet(
  tx: Tx,
  { caller, facts }: { readonly caller: Caller; readonly facts: RequestFacts },
  tenantId: number,
  version: number,
  regions: readonly number[],
): Promise<void> {
  await run(tx, 'INSERT INTO no_delivery_set (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING', [tenantId]);
  const head = await runOne<{ version: number }>(
    tx,
    'SELECT version FROM no_delivery_set WHERE tenant_id = $1 FOR UPDATE',
    [tenantId],
  );
  if (head!.version !== version) throw ruleBroken(STALE);
  const before = await setOf(tx, tenantId);
  const wanted = [...new Set(regions)];
  const known = await run<{ id: number; enabled: boolean }>(
    tx,
    'SELECT id, enabled FROM region WHERE id = ANY($1::bigint[])',
    [wanted],
  );
  const kept = new Set(before.areas.map((one) => one.id));
  // Regions that are offered no more may stay, not come.
  if (known.length < wanted.length || known.some((one) => !one.enabled && !kept.has(String(one.id))))
    throw invalid({ regions: ['地区不存在', 'The region does not exist'] });
  await run(
    tx,
    `DELETE FROM no_delivery_area WHERE tenant_id = $1 AND product_id IS NULL AND region_id <> ALL($2::bigint[])`,
    [tenantId, wanted],
  );
  await run(
    tx,
    `INSERT INTO no_delivery_area (tenant_id, region_id, created_by) SELECT $1, unnest($2::bigint[]), $3 ON CONFLICT DO NOTHING`,
    [tenantId, wanted, caller.staffId],
  );
  await run(
    tx,
    `WITH RECURSIVE below AS (
       SELECT c.id FROM region c JOIN no_delivery_area a ON a.region_id = c.parent_id AND a.tenant_id = $1 AND a.product_id IS NULL
       UNION SELECT c.id FROM region c JOIN below ON below.id = c.parent_id)
     DELETE FROM no_delivery_area a USING below WHERE a.tenant_id = $1 AND a.product_id IS NULL AND a.region_id = below.id`,
    [tenantId],
  );
  await run(
    tx,
    `UPDATE no_delivery_set SET version = version + 1, updated_at = now(), updated_by = $2 WHERE tenant_id = $1`,
    [tenantId, caller.staffId],
  );
  const after = await setOf(tx, tenantId);
  const titles = (set: NoDeliverySet) => set.areas.map((one) => one.title);
  const added = titles(after).filter((title) => !titles(before).includes(title));
  const removed = titles(before).filter((title) => !titles(after).includes(title));
  await writeTimeline(tx, {
    entity: 'noDeliverySet',
    entityId: tenantId,
    caller,
    action: 'save',
    label: ['保存不配送区域', 'No-delivery areas saved'],
    remark: `+${added.length} −${removed.length}`,
  });
  await writeAudit(tx, {
    caller,
    facts,
    menu: noDeliveryArea.menu,
    action: 'save',
    entity: 'noDeliverySet',
    entityId: tenantId,
    before: { regions: titles(before) },
    after: { regions: titles(after), added, removed },
  });
}
