import { sendEvent } from '../../../domain/message-send/send-event.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { parkingPass } from './parking-lot.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const bound: BoundResource = bindResource(parkingPass, {
  table: 'parking_pass',
  from: 'parking_pass t LEFT JOIN parking_lot l ON l.id = t.lot_id LEFT JOIN member m ON m.id = t.member_id',
  scope: residentScope('t.project_id', 't.created_by'),
  search: 'lower(t.plate)',
  columns: {
    lot: { id: 't.lot_id', title: 'l.name' },
    member: { id: 't.member_id', title: 'm.name' },
    standing: `(CASE WHEN t.cancelled_at IS NOT NULL THEN 'cancelled' WHEN t.ends_on < ${TODAY} THEN 'ended' WHEN t.starts_on > ${TODAY} THEN 'coming' ELSE 'valid' END)`,
  },
  tabs: {
    ending: () => `(t.cancelled_at IS NULL AND t.ends_on BETWEEN ${TODAY} AND ${TODAY} + 7)`,
  },
  unique: {
    parking_pass_once: ['车牌在此期间已有月卡', 'A plate has a pass at that time already'],
  },
  ruleReads: ['standing'],
  rowRules: {
    renew: (row) => (row.standing === 'cancelled' ? ['已取消', 'Cancelled'] : undefined),
    cancel: (row) =>
      row.standing === 'cancelled' || row.standing === 'ended'
        ? ['已到期或已取消', 'Ended or cancelled already']
        : undefined,
  },
  sets: { cancel: { cancelled_at: NOW } },
  handlers: {
    renew: ({ row, input }) => {
      const until = String(input.until);
      if (until <= String(row.ends_on))
        throw invalid({ until: ['须晚于当前到期日', 'Later than the day it ends now'] });
      return Promise.resolve({
        set: { ends_on: until },
        changes: [{ field: 'endsOn', before: String(row.ends_on), after: until }],
      });
    },
    remind: async ({ tx, id, row }) => {
      await sendEvent(tx, {
        event: 'parking_pass_ending',
        memberIds: [Number(row.member_id)],
        variables: { plate: String(row.plate), endsOn: String(row.ends_on) },
        dedupKey: `parking_pass:${id}:${String(row.ends_on)}:${businessDayOf(new Date())}`,
      });
    },
  },
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'parking.pass',
        title: ['停车月卡到期提醒', 'Parking passes that end'],
        // 09:00 in China.
        cron: '0 1 * * *',
        action: 'remind',
        when: `t.member_id IS NOT NULL AND t.cancelled_at IS NULL AND t.ends_on = ${TODAY} + 7`,
      }),
    ],
  },
});

/** Plates that park free. */
export const registration = bound.registration;
