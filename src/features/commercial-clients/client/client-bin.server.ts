import { ALL_CLIENTS, leadersOf } from '../../../domain/commercial-client/client-sight.server.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { clientBin } from './client.contract.ts';

/** Days a deleted client is kept. */
const KEPT_DAYS = 30;

/** Tables that hang on a client and come back with it, parents first. `of` is the SQL condition over their rows `x` of client $1. */
const HANGING = [
  ['client_project', 'x.client_id = $1'],
  ['client_contact', 'x.client_id = $1'],
  ['client_member', 'x.client_id = $1'],
  ['client_assignment', 'x.client_id = $1'],
  ['client_stage', 'x.client_id = $1'],
  ['client_comment', 'x.client_id = $1'],
  ['follow_up', 'x.client_id = $1'],
  ['follow_up_colleague', 'x.follow_up_id IN (SELECT f.id FROM follow_up f WHERE f.client_id = $1)'],
  ['client_alias', 'x.client_id = $1'],
] as const;

/** What business keeps a client from being deleted. */
const BUSY = [
  ['contract', ['已有合同，不能删除', 'It has contracts and is not deleted']],
  ['position_occupancy', ['有铺位预留，不能删除', 'Spaces are held for it, it is not deleted']],
  ['package_order', ['已有套餐订单，不能删除', 'It has package orders and is not deleted']],
] as const;

/** Puts a locked client into the recycle list with all that hangs on it. Refuses (30101) one with contracts or other business. */
export async function binClient(
  tx: Tx,
  client: { readonly id: number; readonly code: string },
  reason: string,
  staffId: number,
): Promise<ActionResult> {
  for (const [table, label] of BUSY)
    if (await runOne(tx, `SELECT 1 FROM ${table} WHERE client_id = $1 LIMIT 1`, [client.id]))
      throw ruleBroken(label);
  const kept = HANGING.map(
    ([table, of]) =>
      `'${table}', (SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]') FROM ${table} x WHERE ${of})`,
  );
  await run(
    tx,
    `INSERT INTO client_bin (id, code, name, brand, owner_id, project_ids, kept, reason, deleted_by)
     SELECT c.id, c.code, c.name, c.brand, c.owner_id, ARRAY(SELECT p.project_id FROM client_project p WHERE p.client_id = c.id),
            jsonb_build_object('client', to_jsonb(c), ${kept.join(', ')}), $2, $3 FROM client c WHERE c.id = $1`,
    [client.id, reason, staffId],
  );
  await run(tx, 'DELETE FROM client WHERE id = $1', [client.id]);
  return { remark: reason };
}

/** Brings a deleted client back as it was. Numbers others have taken meanwhile are refused by the database's own rules. */
async function restoreClient(tx: Tx, id: number): Promise<void> {
  await run(
    tx,
    `INSERT INTO client SELECT r.* FROM client_bin b, jsonb_populate_record(NULL::client, b.kept -> 'client') r WHERE b.id = $1`,
    [id],
  );
  // Its stay was noted by being there again; what is kept tells it better.
  await run(tx, 'DELETE FROM client_stage WHERE client_id = $1', [id]);
  for (const [table] of HANGING)
    await run(
      tx,
      `INSERT INTO ${table} SELECT r.* FROM client_bin b, jsonb_populate_recordset(NULL::${table}, b.kept -> '${table}') r WHERE b.id = $1`,
      [id],
    );
  await run(tx, 'DELETE FROM client_bin WHERE id = $1', [id]);
}

/** Deleted clients; their former owner's leaders and the administrators of their projects see them. */
export const registration = bindResource(clientBin, {
  table: 'client_bin',
  from: 'client_bin t LEFT JOIN staff o ON o.id = t.owner_id LEFT JOIN staff d ON d.id = t.deleted_by',
  scope: {
    tenant: 'none',
    project: 'none',
    owner: 'NULL::bigint',
    own: (caller, parameters) => {
      if (caller.tenantKind === 2) return 'FALSE';
      const all = caller.elements.has(ALL_CLIENTS);
      // Before anything is bound: the database refuses values no condition names.
      if (all && caller.projectIds === null) return 'TRUE';
      const led = `${parameters.bind(caller.staffId)} = ANY(${leadersOf('t.owner_id')}::bigint[])`;
      if (!all) return led;
      return `(${led} OR t.project_ids && ${parameters.bind(caller.projectIds)}::bigint[])`;
    },
  },
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    owner: 'o.name',
    deletedBy: 'd.name',
    daysLeft: `greatest(0, ${KEPT_DAYS} - floor(extract(epoch FROM now() - t.deleted_at) / 86400))::int`,
  },
  unique: {
    client_licence: ['统一社会信用代码已被其他客户使用', 'Another client has its licence number now'],
    client_contact_phone: ['联系电话已被其他客户使用', 'Another client has its phone number now'],
  },
  handlers: {
    restore: async ({ tx, id, platform, row }) => {
      await restoreClient(tx, id);
      platform.changed('client');
      return { remark: String(row.code) };
    },
  },
  also: { jobs: [purgeJob()] },
}).registration;

/** Deleted clients go for good after thirty days. */
function purgeJob(): Job {
  return {
    name: 'client.purge',
    title: ['清除到期的已删除客户', 'Deleted clients that go for good'],
    cron: '10 18 * * *',
    run: async (_payload, platform, context) => {
      const gone = await run(
        platform.database.db,
        `DELETE FROM client_bin WHERE deleted_at < now() - make_interval(days => ${KEPT_DAYS}) RETURNING id`,
      );
      if (gone.length > 0) platform.changed('clientBin');
      context?.print(`${gone.length} 行 / rows`);
    },
  };
}
