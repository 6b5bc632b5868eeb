import { z } from 'zod';
import { integer, longText, ref, text } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { cancelOwn, checkInOwn, payable, signUp } from './activity.server.ts';
import { ACTIVITY_ENTITY, SIGNUP_ENTITY } from './activity-seats.server.ts';

const changes = [ACTIVITY_ENTITY, SIGNUP_ENTITY];
const on = z.strictObject({ activityId: idText });
const signedUp = {
  activity: {
    field: ref('eventSignup', ['活动', 'Activity'], {
      required: true,
      help: ['会员已报名的活动', 'Activities the member signed up for'],
    }),
    at: 'activityId',
  },
};

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
    form: {
      activity: { field: ref('eventActivity', ['活动', 'Activity'], { required: true }), at: 'activityId' },
      seats: {
        field: integer(['报名人数', 'Seats'], { required: true, min: 1, max: 5, initial: 1 }),
      },
      answers: {
        field: longText(['报名问题的回答', 'Answers'], {
          max: 1_000,
          help: ['每行一个，按问题的顺序', 'One a line, in the order of the questions'],
        }),
        as: 'lines',
      },
    },
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
    form: signedUp,
    apply: async (tx, _platform, { memberId, payload }) => ({
      result: await payable(tx, { memberId, ...payload }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'activity.cancel',
    title: ['取消活动报名', 'Activity sign-up cancelled'],
    payload: on,
    form: signedUp,
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
    form: {
      ...signedUp,
      code: {
        field: text(['签到码', 'Check-in code'], {
          required: true,
          pattern: { source: '\\d{6}', message: ['6 位数字', 'Six digits'] },
        }),
      },
    },
    changes,
    apply: async (tx, platform, { memberId, payload }) => {
      const { effects, ...result } = await checkInOwn(tx, platform, { memberId, proof: payload });
      return { result, effects };
    },
  }),
];
