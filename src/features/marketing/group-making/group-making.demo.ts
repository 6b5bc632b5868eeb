import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { groupMaking } from './group-making.contract.ts';

const HOUR = 3_600_000;

interface Activity {
  readonly id: number;
  readonly state: string;
  readonly created_at: Date;
  readonly published_at: Date | null;
  readonly ended_at: Date | null;
  readonly state_reason: string;
}

/** What happened to the activities that stand, told to the activity itself. */
export const demo = defineDemo({
  key: 'groupMaking',
  after: ['group-buy'],
  run: async ({ tx, tell, now, as }) => {
    const caller = as('mall1');
    const rows = await run<Activity>(
      tx,
      'SELECT id, state, created_at, published_at, ended_at, state_reason FROM group_buy ORDER BY id',
    );
    for (const row of rows) {
      const before = (at: Date) => new Date(Math.min(at.getTime(), now.getTime()));
      const say = (action: string, label: Label, at: Date, to: string, remark = '') =>
        tell({
          entity: groupMaking.name,
          entityId: row.id,
          at: before(at),
          caller,
          action,
          label,
          to,
          remark,
        });
      await say('create', ['新增活动', 'Add'], row.created_at, 'draft');
      if (row.published_at) await say('publish', ['发布', 'Publish'], row.published_at, 'published');
      if (row.state === 'reviewing')
        await say('submit', ['提交审核', 'Submit'], new Date(row.created_at.getTime() + HOUR), 'reviewing');
      if (row.state === 'rejected')
        await say(
          'rejected',
          ['驳回', 'Rejected'],
          new Date(row.created_at.getTime() + 2 * HOUR),
          'rejected',
          row.state_reason,
        );
      if (row.ended_at) await say('end', ['提前结束', 'End early'], row.ended_at, 'ended', row.state_reason);
    }
  },
});
