import { z } from 'zod';
import { ref } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { GROUP_ENTITY, joinGroup, leaveGroup, MEMBERSHIP_ENTITY } from './interest-group.server.ts';

const payload = z.strictObject({
  groupId: idText,
});

/** Members join groups and leave them. */
export const interestGroupEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'group.join',
    title: ['加入小组', 'Group joined'],
    payload,
    form: { group: { field: ref('eventGroup', ['小组', 'Group'], { required: true }), at: 'groupId' } },
    changes: [GROUP_ENTITY, MEMBERSHIP_ENTITY],
    apply: async (tx, _platform, event) => ({
      result: await joinGroup(tx, { memberId: event.memberId, groupId: event.payload.groupId }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'group.leave',
    title: ['退出小组', 'Group left'],
    payload,
    form: { group: { field: ref('eventOwnGroup', ['小组', 'Group'], { required: true }), at: 'groupId' } },
    changes: [GROUP_ENTITY, MEMBERSHIP_ENTITY],
    apply: async (tx, _platform, event) => {
      await leaveGroup(tx, { memberId: event.memberId, groupId: event.payload.groupId });
      return { result: {}, effects: [] };
    },
  }),
];
