import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { memberMoves, redeem } from './redeem.server.ts';

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
