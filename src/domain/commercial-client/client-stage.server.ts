import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';

/**
 * The client of an income contract that was approved is signed, whatever its stage was; who owns the contract now has signed it, for
 * good. Source: group 20, customerList, stages; busPerManagement, signed amount.
 */
export async function signClient(tx: Tx, contractId: number): Promise<void> {
  await run(
    tx,
    `INSERT INTO contract_signing (contract_id, staff_id, amount, at) SELECT id, owner_id, amount, coalesce(approved_at, now()) FROM contract
      WHERE id = $1 AND direction = 'income' AND client_id IS NOT NULL ON CONFLICT DO NOTHING`,
    [contractId],
  );
  const client = await runOne<{ id: number; state: string; code: string }>(
    tx,
    `SELECT c.id, c.state, k.code FROM contract k JOIN client c ON c.id = k.client_id
      WHERE k.id = $1 AND k.direction = 'income' FOR NO KEY UPDATE OF c`,
    [contractId],
  );
  if (!client || client.state === 'signed') return;
  await run(
    tx,
    `UPDATE client SET state = 'signed', stage_since = now(), lost_reason_id = NULL, lost_note = '', warned_at = NULL, version = version + 1, updated_at = now() WHERE id = $1`,
    [client.id],
  );
  await writeTimeline(tx, {
    entity: 'client',
    entityId: client.id,
    action: 'advance',
    label: ['合同审批通过', 'Its contract was approved'],
    from: client.state,
    to: 'signed',
    remark: client.code,
  });
}
