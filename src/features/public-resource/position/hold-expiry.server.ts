import { notify } from '../../../domain/notification/notify.server.ts';
import { holdersOfMenu } from '../../../domain/permission/menu-holders.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { position, POSITION_MENU } from './position.contract.ts';

interface Held {
  readonly position_id: number;
  readonly code: string;
  readonly holder_id: number;
}

/**
 * Releases holds whose time is over and tells who held them; a day before they are warned. Each is told once, also those that were
 * released before the job came by, when somebody else took the days. Source: group 17, position.holdExpiry.
 */
export function holdExpiry(bound: () => BoundResource): Job {
  const release = dueJob(bound, {
    name: 'position.holdExpiry',
    title: ['点位预留到期', 'Holds of positions that end'],
    cron: '*/5 * * * *',
    action: 'expire',
    when: `t.kind = 'hold' AND t.released_at IS NULL AND t.expires_at <= now()`,
  });
  return {
    ...release,
    run: async (payload, platform, context) => {
      await release.run(payload, platform, context);
      const told = await transaction(platform.database.db, async (tx) => {
        const over = await run<Held>(
          tx,
          `UPDATE position_occupancy o SET told_at = now() FROM position p
            WHERE p.id = o.position_id AND o.expired AND o.told_at IS NULL
           RETURNING o.position_id, p.code, o.holder_id`,
        );
        const soon = await run<Held>(
          tx,
          `UPDATE position_occupancy o SET warned_at = now() FROM position p
            WHERE p.id = o.position_id AND o.kind = 'hold' AND o.released_at IS NULL AND o.warned_at IS NULL
              AND o.expires_at > now() AND o.expires_at <= now() + interval '1 day' AND o.expires_at - o.created_at > interval '1 day'
           RETURNING o.position_id, p.code, o.holder_id`,
        );
        for (const one of over)
          await tell(tx, one, [
            `点位 ${one.code} 的预留已到期释放`,
            `Your hold of position ${one.code} ended, it is free again`,
          ]);
        for (const one of soon)
          await tell(tx, one, [
            `点位 ${one.code} 的预留将在一天内到期`,
            `Your hold of position ${one.code} ends within a day`,
          ]);
        return over.length;
      });
      if (told > 0) platform.changed(position.name);
    },
  };
}

/** The holder is told whatever menus it has: it is its own hold. The link leads to the screen it holds. */
async function tell(tx: Tx, one: Held, title: Label): Promise<void> {
  const staffId = Number(one.holder_id);
  const onList = (await holdersOfMenu(tx, POSITION_MENU)).includes(staffId);
  await notify(tx, {
    kind: 'positionHold',
    staffIds: [staffId],
    aboutReceiver: true,
    title,
    route: onList ? `/publicResource/positionDetails?id=${one.position_id}` : '/publicResource/pointList',
  });
}
