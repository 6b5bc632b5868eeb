import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { cancelOwn, checkInOwn, payable, signUp } from './activity.server.ts';
import { ACTIVITY_ENTITY, SIGNUP_ENTITY } from './activity-seats.server.ts';

const changes = [ACTIVITY_ENTITY, SIGNUP_ENTITY];
const on = z.strictObject({ activityId: idText });

/** Members sign up for activities, pay, cancel and check in. Source: group 10. */
export const activityEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'activity.signup',
    title: ['活动报名', 'Activity sign-up'],
    payload: z.strictObject({
      activityId: idText,
      seats: z.number().int().min(1).max(5).default(1),
      answers: z.array(z.string().max(200)).max(5).default([]),
    }),
    changes,
    apply: async (tx, platform, { memberId, projectId, payload }) => ({
      result: await signUp(tx, platform, { memberId, projectId, ...payload }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'activity.pay',
    title: ['活动支付', 'Activity payment'],
    payload: on,
    apply: async (tx, _platform, { memberId, payload }) => ({
      result: await payable(tx, { memberId, ...payload }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'activity.cancel',
    title: ['取消活动报名', 'Activity sign-up cancelled'],
    payload: on,
    changes,
    apply: async (tx, platform, { memberId, payload }) => {
      await cancelOwn(tx, platform, { memberId, ...payload });
      return { result: {}, effects: [] };
    },
  }),
  memberEvent({
    type: 'activity.check_in',
    title: ['活动签到', 'Activity check-in'],
    payload: z.union([
      z.strictObject({ ticket: z.string().min(1).max(80) }),
      z.strictObject({ activityId: idText, code: z.string().regex(/^\d{6}$/) }),
    ]),
    changes,
    apply: async (tx, platform, { memberId, payload }) => {
      const { effects, ...result } = await checkInOwn(tx, platform, { memberId, proof: payload });
      return { result, effects };
    },
  }),
];
