import { run, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { ApprovalBy } from './approve.server.ts';
import { lockInstance, subjectOf, takeUp } from './flow.server.ts';
import { adminOf, barred, mayDecide } from './seats.server.ts';
import { giveSeat } from './task-commands.server.ts';

/**
 * Gives what waits for somebody to the stand-in, business types as named (empty: all). What the stand-in started goes to
 * the administrator of its process; what neither may decide stays. Returns how many moved.
 */
export async function moveToStandin(
  tx: Tx,
  platform: Platform,
  move: ApprovalBy & {
    readonly staffId: number;
    readonly standinId: number;
    readonly kinds: readonly string[];
  },
): Promise<number> {
  const open = await run<{ id: number; instanceId: number }>(
    tx,
    `SELECT k.id, k.instance_id AS "instanceId" FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id AND i.state = 'running'
      WHERE k.assignee_id = $1 AND k.state = 'pending' AND k.kind <> 'copy' AND (cardinality($2::text[]) = 0 OR i.biz_type = ANY($2)) ORDER BY i.id, k.id`,
    [move.staffId, move.kinds],
  );
  let moved = 0;
  for (const { id, instanceId } of open) {
    const instance = await lockInstance(tx, instanceId);
    if (instance?.state !== 'running') continue;
    const to = barred(instance).includes(move.standinId)
      ? await adminOf(tx, instance.processId)
      : move.standinId;
    if (to === null || !(await mayDecide(tx, platform, subjectOf(instance), to))) continue;
    const flow = await takeUp(tx, platform, instance, move);
    await giveSeat(flow, id, to, 'standin', '');
    moved += 1;
  }
  return moved;
}
