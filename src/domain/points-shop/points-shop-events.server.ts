import { z } from 'zod';
import { integer, ref, text } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { memberMoves, redeem } from './redeem.server.ts';

const SHIPPED = ['邮寄的商品必填', 'Needed where the goods are shipped'] as const;
const CHANGED = ['redemption', 'pointsProduct', 'pointsAccount', 'pointsMember'];

/** What members do in the points shop. Source: group 01, Member events. */
export const pointsShopEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'redeem',
    title: ['兑换', 'Redeemed'],
    payload: z.strictObject({
      specId: idText,
      qty: z.number().int().min(1).max(99).default(1),
      receiver: z.string().trim().max(40).optional(),
      phone: z.string().trim().max(20).optional(),
      address: z.string().trim().max(200).optional(),
      remark: z.string().trim().max(200).optional(),
    }),
    form: {
      spec: { field: ref('eventSpec', ['商品规格', 'Goods'], { required: true }), at: 'specId' },
      qty: { field: integer(['数量', 'Quantity'], { required: true, min: 1, max: 99, initial: 1 }) },
      receiver: { field: text(['收件人', 'Receiver'], { max: 40, help: SHIPPED }) },
      phone: { field: text(['收件电话', 'Receiver’s phone'], { max: 20, help: SHIPPED }) },
      address: { field: text(['收件地址', 'Address'], { max: 200, help: SHIPPED }) },
      remark: { field: text(['备注', 'Remark'], { max: 200 }) },
    },
    changes: CHANGED,
    apply: async (tx, platform, event) => {
      const { id, ...made } = await redeem(tx, platform, {
        ...event.payload,
        memberId: event.memberId,
        projectId: event.projectId,
      });
      return {
        result: { redemptionId: String(id), ...made },
        effects: [{ kind: 'redeem', points: -made.points }],
      };
    },
  }),
  ...(['cancel', 'receive'] as const).map((what) =>
    memberEvent({
      type: `redeem.${what}`,
      title: what === 'cancel' ? ['取消兑换', 'Redemption cancelled'] : ['签收兑换', 'Redemption received'],
      payload: z.strictObject({ redemptionId: idText }),
      form: {
        redemption: {
          field: ref('eventRedemption', ['兑换单', 'Redemption'], { required: true }),
          at: 'redemptionId',
        },
      },
      changes: CHANGED,
      apply: async (tx, platform, event) => {
        const { state, points } = await memberMoves(tx, platform, {
          memberId: event.memberId,
          id: event.payload.redemptionId,
          what,
        });
        return { result: { state }, effects: points > 0 ? [{ kind: 'redeem.back', points }] : [] };
      },
    }),
  ),
];
