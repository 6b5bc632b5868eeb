import { z } from 'zod';
import { choice, image, images, longText, ref, text } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { COMMENT_LISTS, rateOrder, type OrderRating } from '../order-comment/rate-order.server.ts';
import { ORDER_ENTITY, orderEntityOf } from '../checkout/order-log.server.ts';
import { memberEvent, type MemberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { grantTask, type TaskDone } from './points-task.server.ts';

/** What a member says of an order, as events and programs send it. */
export const ratingBody = {
  stars: z.number().int().min(1).max(5),
  content: z.string().trim().max(500).default(''),
  imageIds: z.array(z.uuid()).max(9).default([]),
} as const;

const STARS = Object.fromEntries(
  [1, 2, 3, 4, 5].map((n) => [String(n), { label: [`${n}星`, n === 1 ? '1 star' : `${n} stars`] as const }]),
);
const UNCHANGED = ['留空不修改', 'Left empty it stays as it is'] as const;
/** Somebody who registered longer ago was invited by nobody. */
const NEW_DAYS = 7;

const done = (event: MemberEvent, task: string, subject: string): TaskDone => ({
  task,
  subject,
  memberId: event.memberId,
  projectId: event.projectId,
  at: event.occurredAt,
});

/** What members do for tasks alone: their profile, invitations, ratings of orders. Source: group 01, os_taskIntegral. */
export const taskEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'profile.update',
    title: ['完善资料', 'Profile updated'],
    payload: z.strictObject({
      nickname: z.string().trim().min(1).max(20).optional(),
      sex: z.union([z.literal(0), z.literal(1)]).optional(),
      signReminder: z.boolean().optional(),
      email: z.union([z.email().max(120), z.literal('')]).optional(),
      photoId: z.uuid().nullable().optional(),
    }),
    form: {
      nickname: { field: text(['昵称', 'Nickname'], { max: 20, help: UNCHANGED }) },
      sex: {
        field: choice(['性别', 'Sex'], {
          '0': { label: ['男', 'Male'] },
          '1': { label: ['女', 'Female'] },
        }),
        as: 'json',
      },
      signReminder: {
        field: choice(['签到提醒', 'Sign-in reminder'], {
          true: { label: ['开启', 'On'] },
          false: { label: ['关闭', 'Off'] },
        }),
        as: 'json',
      },
      email: { field: text(['邮箱', 'E-mail'], { max: 120, help: UNCHANGED }) },
      photo: { field: image(['照片', 'Photo']), at: 'photoId' },
    },
    changes: ['pointsMember', 'operationUser'],
    apply: async (tx, { settings }, event) => {
      const { nickname, sex, signReminder, email, photoId } = event.payload;
      if (photoId) {
        const picture = await runOne(
          tx,
          `SELECT 1 AS one FROM stored_file WHERE id = $1 AND access = 'picture' AND type LIKE 'image/%'`,
          [photoId],
        );
        if (!picture) throw invalid({ photoId: ['图片不存在', 'There is no such picture'] });
      }
      const { complete } = (await runOne<{ complete: boolean }>(
        tx,
        `UPDATE member SET nickname = coalesce($2, nickname), sex = coalesce($3, sex), sign_reminder = coalesce($4, sign_reminder),
                email = coalesce($5, email), photo_id = CASE WHEN $6 THEN $7::uuid ELSE photo_id END, version = version + 1, updated_at = now()
          WHERE id = $1 RETURNING name <> '' AND nickname <> '' AND sex <> 2 AS complete`,
        [
          event.memberId,
          nickname ?? null,
          sex ?? null,
          signReminder ?? null,
          email ?? null,
          photoId !== undefined,
          photoId ?? null,
        ],
      ))!;
      return {
        result: { complete },
        effects: complete ? [await grantTask(tx, settings, done(event, 'T01', 'profile'))] : [],
      };
    },
  }),
  memberEvent({
    type: 'task.invite',
    title: ['邀请注册', 'Invitation'],
    payload: z.strictObject({ inviteeId: idText }),
    form: {
      invitee: {
        field: ref('eventInvitee', ['新会员', 'New member'], {
          required: true,
          help: [
            `${NEW_DAYS}天内注册的会员，按姓名或手机号查找`,
            `Registered within ${NEW_DAYS} days; found by name or phone`,
          ],
        }),
        at: 'inviteeId',
      },
    },
    changes: ['pointsMember'],
    apply: async (tx, { settings }, event) => {
      const { inviteeId } = event.payload;
      await requireInvited(tx, event.memberId, inviteeId);
      const bound = await runOne(
        tx,
        `SELECT 1 AS one FROM household WHERE member_id = $1 AND status = 'normal' LIMIT 1`,
        [inviteeId],
      );
      return {
        result: { bound: bound !== undefined },
        // Who binds a house later is found by the job.
        effects: bound ? [await grantTask(tx, settings, done(event, 'T13', `invite:${inviteeId}`))] : [],
      };
    },
  }),
  memberEvent({
    type: 'order.rate',
    title: ['评价订单', 'Order rated'],
    payload: z.strictObject({ orderId: idText, ...ratingBody }),
    form: {
      order: { field: ref('eventOrder', ['订单', 'Order'], { required: true }), at: 'orderId' },
      stars: { field: choice(['评分', 'Stars'], STARS, { required: true, initial: '5' }), as: 'json' },
      content: { field: longText(['评价内容', 'Comment'], { max: 500 }) },
      images: { field: images(['图片', 'Pictures'], { max: 9 }), at: 'imageIds' },
    },
    changes: [ORDER_ENTITY, 'serviceOrder', 'pointsMember', ...COMMENT_LISTS],
    apply: async (tx, platform, event) => {
      const { payload, memberId } = event;
      await rateOrder(tx, platform, { ...payload, memberId });
      return {
        result: { entity: await orderEntityOf(tx, payload.orderId) },
        effects: [await grantTask(tx, platform.settings, done(event, 'T11', `order:${payload.orderId}`))],
      };
    },
  }),
];

/** What the event does, for a program that trades for members: the rating, and the points of its task. */
export async function rateForTask(
  tx: Tx,
  platform: Platform,
  rating: OrderRating,
): ReturnType<typeof rateOrder> {
  const made = await rateOrder(tx, platform, rating);
  const order = await runOne<{ project: number }>(
    tx,
    'SELECT project_id AS project FROM sales_order WHERE id = $1',
    [rating.orderId],
  );
  await grantTask(tx, platform.settings, {
    task: 'T11',
    subject: `order:${rating.orderId}`,
    memberId: rating.memberId,
    projectId: order!.project,
    at: new Date(),
  });
  return made;
}

/** Notes who invited a new member; refuses (30101) whoever is not new, or was invited by somebody else. */
async function requireInvited(tx: Tx, memberId: number, inviteeId: number): Promise<void> {
  if (inviteeId === memberId) throw ruleBroken(['不能邀请自己', 'Nobody invites themselves']);
  const row = await runOne<{ inviter: number | null; fresh: boolean }>(
    tx,
    `SELECT inviter_id AS inviter, registered_at > clock_timestamp() - make_interval(days => ${NEW_DAYS}) AS fresh FROM member
      WHERE id = $1 FOR NO KEY UPDATE`,
    [inviteeId],
  );
  if (!row) throw notFound(['会员不存在', 'There is no such member']);
  if (row.inviter === memberId) return;
  if (row.inviter !== null) throw ruleBroken(['该会员由他人邀请', 'Somebody else invited this member']);
  if (!row.fresh) throw ruleBroken(['该会员不是新注册会员', 'This member did not register recently']);
  await run(
    tx,
    'UPDATE member SET inviter_id = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [inviteeId, memberId],
  );
}
