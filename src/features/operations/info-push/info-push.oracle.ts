import { byCode, dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { fillSends, sendStanding } from '../../marketing/message-send/message-send.oracle.ts';

export const oracle = defineOracle({
  name: 'push',
  menu: 'os_infoPush',
  table: 'message_send',
  where: (row) => row.origin === 'ops_push',
  standing: sendStanding,
  filters: {
    startedAt: dayRange('started_at'),
    projects: {
      value: (dice, world) =>
        dice
          .some(world.rows.project!, 1 + dice.upTo(3))
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, _world, held) =>
        (row.project_ids as unknown[]).some(
          (one) =>
            value.split(',').includes(String(one)) && (!held.projects || held.projects.has(Number(one))),
        ),
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    audience: 'conditions',
    identities: undefined,
    phones: undefined,
    excludedPhones: undefined,
    jump: 'none',
    grades: undefined,
    groups: undefined,
    jumpFamilyPost: undefined,
    jumpChamberPost: undefined,
    jumpActivity: undefined,
    jumpGroupPost: undefined,
    jumpTopic: undefined,
    jumpNotice: undefined,
    jumpProduct: undefined,
    jumpUrl: undefined,
    schedule: 'now',
    sendAt: undefined,
    urgent: false,
    urgentReason: undefined,
  }),
  fill: fillSends('ops_push'),
});
