import {
  expireLots,
  noteExpiring,
  snapshotMonth,
} from '../../../domain/points-ledger/points-expiry.server.ts';
import { releaseDue } from '../../../domain/points-ledger/points-pending.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { transaction } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { now } from '../../../domain/points-ledger/points-lots.server.ts';

/** Times are those of Shanghai, patterns in UTC. Source: group 22, jobs. */
export const accountJobs: readonly Job[] = [
  {
    name: 'points.expire',
    title: ['积分过期', 'Points expire'],
    cron: '5 16 * * *',
    timeoutSeconds: 3_600,
    run: async (_payload, platform, context) => {
      const booked = await expireLots(platform, undefined, context?.signal);
      context?.print(`lots ${booked}`);
      if (booked > 0) platform.changed('pointsAccount');
    },
  },
  {
    name: 'points.expiry_notice',
    title: ['积分到期提醒', 'Notices of expiring points'],
    cron: '0 2 * * *',
    run: async (_payload, platform, context) => {
      const days = (await platform.settings.list('points.notice.days')).map(Number).filter((day) => day > 0);
      context?.print(`members ${await noteExpiring(platform, days)}`);
    },
  },
  {
    name: 'points.release',
    title: ['待入账积分入账', 'Pending points are released'],
    cron: '*/5 * * * *',
    run: async (_payload, platform, context) => {
      const released = await releaseDue(platform);
      context?.print(`released ${released}`);
      if (released > 0) platform.changed('pointsAccount');
    },
  },
  {
    name: 'points.snapshot',
    title: ['积分月末快照', 'Month-end figures of points'],
    // 00:30 in Shanghai; only the first of a month has something to write.
    cron: '30 16 * * *',
    run: async (_payload, platform) => {
      const at = await transaction(platform.database.db, now);
      if (businessDayOf(at).endsWith('-01')) await snapshotMonth(platform);
    },
  },
];
