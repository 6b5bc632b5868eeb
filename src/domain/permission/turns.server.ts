import type { Label } from '../../kernel/contract/label.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/**
 * Takes the turn for a change of what anybody may do or decide: groups, members, grants, departments, leaders, ways to
 * sign in. Commands call it before they look at anything: two that are refused one after the other would pass at the same
 * moment. For the whole product, as groups of the platform reach into companies. Refuses (30101) when it has not come
 * within 20 seconds.
 */
export async function takeTurn(tx: Tx, patience = PATIENCE): Promise<void> {
  await waitFor(tx, 'SELECT pg_advisory_xact_lock(7202)', patience);
}

/**
 * Keeps what `takeTurn` guards as it is until the transaction ends, beside others who do the same: what is found by the
 * structure, such as an approver, is either found in the new one or known to the change.
 */
export async function holdTurns(tx: Tx, patience = PATIENCE): Promise<void> {
  await waitFor(tx, 'SELECT pg_advisory_xact_lock_shared(7202)', patience);
}

const PATIENCE = '20s';
const BUSY: Label = [
  '其他人正在批量调整权限或组织，请稍后重试',
  'Somebody else is changing rights or departments in bulk, please try again in a moment',
];

/** A long import may have the turn: whoever waits is told so before the call itself would be given up. */
async function waitFor(tx: Tx, lock: string, patience: string): Promise<void> {
  await run(tx, `SELECT set_config('lock_timeout', $1, true)`, [patience]);
  try {
    await run(tx, lock);
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') throw ruleBroken(BUSY);
    throw error;
  }
  await run(tx, `SELECT set_config('lock_timeout', '0', true)`);
}
