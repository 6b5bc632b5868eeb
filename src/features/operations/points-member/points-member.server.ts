import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { basisSql, gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import type { RecordableEvent } from '../../../domain/member-event/event-form.rules.ts';
import { MEMBER_EVENTS } from '../../../domain/member-event/handlers.server.ts';
import { lockMembers } from '../../../domain/points-ledger/ledger-book.server.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { FIRST_RANGES } from '../../../domain/points-task/points-ranges.rules.ts';
import { giveCards } from '../../../domain/resign-card/resign-card.server.ts';
import { cycleOf, streakOf, dayBefore, type SignInCycle } from '../../../domain/sign-in/sign-in.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { findCoupons } from '../../mall/coupon-push/coupon-push.server.ts';
import {
  expiringSql,
  movedSql,
  pendingSql,
  SOURCES,
} from '../../points-accounts/account/account-figures.server.ts';
import { memberListEndpoint, overviewOf } from './member-lists.server.ts';
import { MEMBER_MENU, pointsMember } from './points-member.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/pointsMember';
const GRADE = gradeIdSql('t.id');
const idText = z.string().regex(/^\d{1,15}$/);

const bound: BoundResource = bindResource(pointsMember, {
  table: 'member',
  entity: 'pointsMember',
  from: `member t LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN ledger_account a ON a.member_id = t.id AND a.kind = 'points_available' AND a.unit = 'point'`,
  scope: MEMBER_PLACE,
  keyword: (value, parameters) => {
    const [exact, part] = [parameters.bind(value), parameters.bind(containing(value.toLowerCase()))];
    return `(t.phone = ${exact} OR t.name = ${exact} OR lower(t.nickname) LIKE ${part})`;
  },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    grade: { id: GRADE, title: `(SELECT grade_t.title FROM grade grade_t WHERE grade_t.id = ${GRADE})` },
    basis: basisSql('t.id'),
    lifetime: `(-${movedSql('t.id', SOURCES)})`,
    available: 'coalesce(a.balance, 0)',
    used: movedSql('t.id', `'points_redeemed'`),
    pending: pendingSql('t.id'),
    expiring30: expiringSql('t.id', '30'),
    // Filled by `present`: the cycle is a setting.
    signDays: '0',
    streak: '0',
    posts: '(SELECT count(*)::int FROM post o WHERE o.member_id = t.id AND o.deleted_at IS NULL)',
    lastActive: 't.last_active_on',
    identity: `(SELECT min(hh.identity) FROM household hh WHERE hh.member_id = t.id AND hh.status = 'normal')`,
    banned: 'coalesce(t.banned_until > now(), false)',
    fixedUntil: `(SELECT g.fixed_until FROM member_grade g WHERE g.member_id = t.id AND g.fixed_until >= ${TODAY})`,
  },
  filters: {
    grade: (value, parameters) => {
      const ids = value.split(',');
      if (ids.length > 500 || ids.some((id) => !/^\d{1,15}$/.test(id)))
        return ['没有此选项', 'There is no such choice'];
      return `${GRADE} = ANY(${parameters.bind(ids.map(Number))}::bigint[])`;
    },
    identity: (value, parameters) =>
      `EXISTS (SELECT FROM household hh WHERE hh.member_id = t.id AND hh.status = 'normal' AND hh.identity = ${parameters.bind(value)})`,
  },
  present: async (rows, db, _caller, platform) =>
    presentSignIns(rows, db, (await platform.settings.text('signin.cycle')) as SignInCycle),
  handlers: { card, grade: fixGrade },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/eventTypes`,
      title: ['可补录的事件', 'Events that can be recorded'],
      access: { code: `${MEMBER_MENU}:btn_event` },
      handle: (): Promise<readonly RecordableEvent[]> =>
        Promise.resolve(
          MEMBER_EVENTS.flatMap(({ type, title, form }) => (form ? [{ type, title, form }] : [])),
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/ranges`,
      title: ['积分范围', 'Ranges of points'],
      access: { code: MEMBER_MENU },
      handle: async ({ platform }) => {
        const ranges = await platform.settings.list('points.screen.ranges');
        return ranges.length > 0 ? ranges : FIRST_RANGES;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/recordEvent`,
      title: ['补录事件', 'Record an event'],
      access: { code: `${MEMBER_MENU}:btn_event` },
      body: z.strictObject({
        type: z.string().min(1).max(40),
        occurredAt: z.iso.datetime({ offset: true }),
        payload: z.record(z.string(), z.unknown()).default({}),
        reason: z.string().trim().min(2).max(200),
      }),
      handle: async (call) => {
        const { caller, platform, facts, body } = call;
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const answer = await takeMemberEvent(
          platform,
          {
            eventId: randomUUID(),
            memberId: id,
            projectId: await homeOf(platform.database.db, id, caller.projectIds),
            type: body.type,
            occurredAt: body.occurredAt,
            payload: body.payload,
          },
          { staffId: caller.staffId, reason: body.reason },
        );
        await writeAudit(platform.database.db, {
          caller,
          facts,
          menu: MEMBER_MENU,
          action: 'event',
          entity: 'pointsMember',
          entityId: id,
          after: { type: body.type, payload: body.payload, reason: body.reason },
        });
        platform.changed('pointsMember');
        return answer;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/giveCoupon`,
      title: ['给所选会员发券', 'Give a coupon to chosen members'],
      access: { code: `${MEMBER_MENU}:btn_coupon` },
      body: z.strictObject({
        ids: z.array(idText).min(1).max(2_000),
        coupon: idText,
        perPerson: z.number().int().min(1).max(5),
        reason: z.string().trim().min(2).max(200),
      }),
      handle: async ({ caller, platform, facts, body }) =>
        transaction(platform.database.db, async (tx) => {
          const parameters = new Parameters();
          const ids = parameters.bind(body.ids.map(Number));
          const members = await run<{ phone: string }>(
            tx,
            `SELECT t.phone FROM member t WHERE t.id = ANY(${ids}::bigint[]) AND ${scopeCondition(caller, MEMBER_MENU, MEMBER_PLACE, parameters)} ORDER BY t.id`,
            parameters.values,
          );
          if (members.length < new Set(body.ids).size)
            throw ruleBroken([
              '部分会员已不可见，请刷新后重选',
              'Some members are out of sight, choose again',
            ]);
          const [coupon] = await findCoupons(tx, caller, {
            ids: [Number(body.coupon)],
            searchVal: '',
            offset: 0,
            limit: 1,
          });
          if (!coupon) throw invalid({ coupon: ['没有此选项', 'There is no such choice'] });
          const code = await nextCode(tx, 'CT');
          const made = (await runOne<{ id: number }>(
            tx,
            `INSERT INTO coupon_push (code, name, coupon_id, tenant_id, audience, phones, reach_ids, per_person, reason, created_by, updated_by)
             VALUES ($1, $2, $3, $4, 'phones', $5, $6, $7, $8, $9, $9) RETURNING id`,
            [
              code,
              `积分用户发券 ${members.length}人`,
              body.coupon,
              coupon.tenantId,
              members.map((one) => one.phone),
              caller.projectIds,
              body.perPerson,
              body.reason,
              caller.staffId,
            ],
          ))!;
          await writeAudit(tx, {
            caller,
            facts,
            menu: MEMBER_MENU,
            action: 'coupon',
            entity: 'couponPush',
            entityId: made.id,
            after: { code, coupon: body.coupon, members: members.length, reason: body.reason },
          });
          platform.changed('couponPush');
          return { id: String(made.id), code, members: members.length };
        }),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/overview`,
      title: ['会员全貌', 'Everything about a member'],
      access: { code: MEMBER_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return overviewOf(call.platform, id);
      },
    }),
    memberListEndpoint(ROOT, () => bound),
  ],
});

/** Points users. */
export const registration = bound.registration;

/** The project an event or a card belongs to: where the member lives, of those the caller works in. */
export async function homeOf(db: Executor, id: number, reach: readonly number[] | null): Promise<number> {
  const home = await runOne<{ id: number }>(
    db,
    `SELECT x.id FROM (
       SELECT m.project_id AS id, 0 AS n FROM member m WHERE m.id = $1 AND m.project_id IS NOT NULL
       UNION ALL SELECT h.project_id, 1 FROM household hh JOIN house h ON h.id = hh.house_id WHERE hh.member_id = $1 AND hh.status = 'normal') x
      WHERE $2::bigint[] IS NULL OR x.id = ANY($2::bigint[]) ORDER BY x.n, x.id LIMIT 1`,
    [id, reach],
  );
  if (!home) throw ruleBroken(['会员没有所属项目', 'The member belongs to no project']);
  return home.id;
}

async function card({ tx, platform, id, input, caller }: ActionContext): Promise<ActionResult> {
  const qty = Number(input.qty);
  await giveCards(tx, platform.settings, {
    memberId: id,
    projectId: await homeOf(tx, id, caller.projectIds),
    qty,
    source: 'given',
    reason: String(input.reason),
    staffId: caller.staffId,
  });
  platform.changed('resignCard');
  return { remark: `+${qty} ${String(input.reason)}` };
}

/** A grade until a day, whatever was earned; nothing chosen ends it. Source: group 01, os_userGrade. */
async function fixGrade({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  await lockMembers(tx, [id]);
  if (!input.grade) {
    if (input.until) throw invalid({ grade: ['请选择等级', 'Choose the grade'] });
    await run(
      tx,
      `UPDATE member_grade SET fixed_id = NULL, fixed_until = NULL, fixed_by = $2, fixed_reason = $3 WHERE member_id = $1`,
      [id, caller.staffId, reason],
    );
    return { remark: reason };
  }
  if (!input.until) throw invalid({ until: ['此项必填', 'This field is required'] });
  if (String(input.until) < businessDayOf(new Date()))
    throw invalid({ until: ['日期不能早于今天', 'Today at the earliest'] });
  const grade = await runOne<{ title: string }>(tx, 'SELECT title FROM grade WHERE id = $1', [input.grade]);
  if (!grade) throw invalid({ grade: ['没有此选项', 'There is no such choice'] });
  await run(
    tx,
    `INSERT INTO member_grade (member_id, fixed_id, fixed_until, fixed_by, fixed_reason) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (member_id) DO UPDATE SET fixed_id = $2, fixed_until = $3, fixed_by = $4, fixed_reason = $5`,
    [id, input.grade, input.until, caller.staffId, reason],
  );
  return { remark: `${grade.title} → ${String(input.until)} ${reason}` };
}

/** Days signed in the running cycle and days in a row until today or yesterday, for a page of rows in one query. */
async function presentSignIns(rows: DbRow[], db: Executor, cycle: SignInCycle): Promise<void> {
  if (!rows.some((row) => row.signDays !== undefined || row.streak !== undefined)) return;
  const today = businessDayOf(new Date());
  const { from } = cycleOf(cycle, today);
  const signed = await run<{ member: number; days: string[] }>(
    db,
    `SELECT member_id AS member, array_agg(day::text) AS days FROM sign_in WHERE member_id = ANY($1::bigint[]) AND day >= $2::date GROUP BY member_id`,
    [rows.map((row) => row.id), from],
  );
  const byMember = new Map(signed.map((one) => [one.member, new Set(one.days)]));
  for (const row of rows) {
    const days = byMember.get(Number(row.id)) ?? new Set<string>();
    if (row.signDays !== undefined) row.signDays = days.size;
    if (row.streak !== undefined)
      row.streak = streakOf(cycle, days, today) || streakOf(cycle, days, dayBefore(today));
  }
}
