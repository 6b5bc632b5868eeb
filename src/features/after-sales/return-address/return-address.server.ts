import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { returnAddress } from './return-address.contract.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** Most addresses of a merchant; the database counts behind the lock of the merchant. */
const MOST = 20;
const OTHER_DEFAULT: Label = ['请先设置其他默认地址', 'Make another address the default first'];
const DISABLED: Label = ['请先启用该地址', 'Enable the address first'];
const FULL: Label = [`每个商户最多${MOST}个地址`, `At most ${MOST} addresses of a merchant`];

const notDefault = (row: DbRow): Label | undefined => (row.isDefault === true ? OTHER_DEFAULT : undefined);

const bound = bindResource(returnAddress, {
  table: 'return_address',
  joins: { merchant: { table: 'tenant', column: 'tenant_id' } },
  columns: {
    region: {
      id: 't.region_id',
      title: `(SELECT concat_ws(' ', CASE WHEN p2.name IS DISTINCT FROM p1.name THEN p2.name END, p1.name, g.name)
        FROM region g LEFT JOIN region p1 ON p1.id = g.parent_id LEFT JOIN region p2 ON p2.id = p1.parent_id WHERE g.id = t.region_id)`,
    },
  },
  writes: { merchant: 'tenant_id' },
  // Where the merchant is seen, its addresses are.
  scope: OF_MERCHANT,
  search: 't.search',
  // A case keeps a copy of what it told the buyer.
  usedBy: { after_sale: false },
  ruleReads: ['isDefault', 'enabled'],
  rowRules: {
    setDefault: (row) =>
      row.enabled !== true
        ? DISABLED
        : row.isDefault === true
          ? ['已是默认地址', 'It is the default']
          : undefined,
    disable: notDefault,
    remove: notDefault,
  },
  before: [check],
  handlers: {
    setDefault: async ({ tx, id, row }) => {
      await clearDefault(tx, Number(row.tenant_id), String(row.use), id);
      return { set: { is_default: true } };
    },
  },
});

/** Addresses of merchants. */
export const registration = bound.registration;

async function clearDefault(
  tx: ActionContext['tx'],
  tenantId: number,
  use: string,
  except: number,
): Promise<void> {
  // The merchant's row is held: two who make a default at once do it one after the other.
  await run(tx, 'SELECT 1 FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [tenantId]);
  await run(
    tx,
    `UPDATE return_address SET is_default = false, version = version + 1, updated_at = now()
      WHERE tenant_id = $1 AND use = $2 AND is_default AND id <> $3`,
    [tenantId, use, except],
  );
}

async function check({ action, tx, caller, input, columns, row, id }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (action === 'create') {
    // Another tenant's id from a merchant is ignored, its own is used.
    if (caller.tenantKind === 2) columns.tenant_id = caller.tenantId;
    await run(tx, 'SELECT 1 FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [columns.tenant_id]);
    const count = await runOne<{ n: number }>(
      tx,
      'SELECT count(*)::int AS n FROM return_address WHERE tenant_id = $1',
      [columns.tenant_id],
    );
    if (count!.n >= MOST) throw ruleBroken(FULL);
  }
  if (columns.region_id !== undefined) {
    const region = await runOne<{ level: number }>(tx, 'SELECT level FROM region WHERE id = $1', [
      columns.region_id,
    ]);
    if (region && region.level !== 3) throw invalid({ region: ['请选到区县', 'Please choose a district'] });
  }
  const tenantId = Number(columns.tenant_id ?? row.tenant_id);
  const use = String(columns.use ?? row.use);
  const wasDefault = row.is_default === true;
  const makesDefault = input.isDefault === true;
  if (wasDefault && (input.isDefault === false || use !== row.use)) throw ruleBroken(OTHER_DEFAULT);
  if (makesDefault && row.enabled === false) throw ruleBroken(DISABLED);
  if (makesDefault) await clearDefault(tx, tenantId, use, id);
}
