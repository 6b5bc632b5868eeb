import { run, type Executor } from '../../kernel/server/database.ts';
import { SYSTEM_NAME, type Caller } from '../../kernel/server/people/caller.ts';

/** A line of what happened to an order, which its member reads too. Without a caller the product itself did it. */
export async function writeEvent(
  tx: Executor,
  orderId: number,
  action: string,
  content: string,
  by?: Pick<Caller, 'name' | 'staffId'>,
  imageIds: readonly string[] = [],
): Promise<void> {
  await run(
    tx,
    'INSERT INTO work_order_event (order_id, who, staff_id, action, content, image_ids) VALUES ($1, $2, $3, $4, $5, $6::uuid[])',
    [orderId, by?.name ?? SYSTEM_NAME, by && by.staffId !== 0 ? by.staffId : null, action, content, imageIds],
  );
}
