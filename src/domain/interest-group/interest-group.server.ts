import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import type { EventEffect } from '../member-event/member-event.server.ts';
import { belongsTo, requireNotBanned } from '../member-event/member-standing.server.ts';
import { bookTransfer } from '../points-ledger/ledger-book.server.ts';
import { defaultBudget, lockBudget, watchBudget } from '../points-ledger/points-budget.server.ts';
import { cappedRule, capsOf, cutByCaps, raiseCaps } from '../points-ledger/points-caps.server.ts';
import { GROUP_FULL, MOST_DEPUTIES, NO_LEADER } from './interest-group.rules.ts';

/** Name of groups and of memberships in timelines. */
export const GROUP_ENTITY = 'interestGroup';
export const MEMBERSHIP_ENTITY = 'interestGroupMember';

/** SQL: something of the leader `m` of a group (alias). */
export const leaderSql = (g: string, column: string): string =>
  `(SELECT ${column} FROM interest_group_member lm JOIN member m ON m.id = lm.member_id WHERE lm.group_id = ${g}.id AND lm.role = 'leader')`;

/** SQL: the member `m` (alias) lives in one of the projects of the group `g` (SQL of its id). */
export const livesInGroup = (m: string, g: string): string =>
  `EXISTS (SELECT FROM interest_group_project gp WHERE gp.group_id = ${g} AND ${belongsTo(m, 'gp.project_id')})`;

interface LockedGroup {
  readonly id: number;
  readonly state: string;
  readonly join_way: 'free' | 'apply';
  readonly member_limit: number;
  readonly members: number;
}

/** Locks a group: every change of its members stands behind this one lock. Throws 404. */
async function lockGroup(tx: Tx, groupId: number): Promise<LockedGroup> {
  const row = await runOne<LockedGroup>(
    tx,
    'SELECT id, state, join_way, member_limit, members FROM interest_group WHERE id = $1 FOR UPDATE',
    [groupId],
  );
  if (!row) throw notFound(['小组不存在', 'There is no such group']);
  return row;
}

function requireRoom(group: LockedGroup): void {
  if (group.member_limit > 0 && group.members >= group.member_limit) throw ruleBroken(GROUP_FULL);
}

interface Membership {
  readonly id: number;
  readonly group_id: number;
  readonly member_id: number;
  readonly role: string;
  readonly state: string;
}

const membershipOf = (tx: Tx, groupId: number, memberId: number): Promise<Membership | undefined> =>
  runOne<Membership>(
    tx,
    'SELECT id, group_id, member_id, role, state FROM interest_group_member WHERE group_id = $1 AND member_id = $2',
    [groupId, memberId],
  );

const told = (
  tx: Tx,
  id: number,
  what: { action: string; label: Label; from?: string; to: string; remark?: string; caller?: Caller },
) => writeTimeline(tx, { entity: MEMBERSHIP_ENTITY, entityId: id, ...what });

/**
 * A member joins a published group of its projects, or applies where applications are looked at. Throws 30101 for muted
 * members, those kept out of groups, full groups, and who is in already.
 */
export async function joinGroup(
  tx: Tx,
  wish: { readonly memberId: number; readonly groupId: number },
): Promise<{ readonly state: 'in' | 'applying' }> {
  await requireNotBanned(tx, wish.memberId);
  await requireMayJoin(tx, wish.memberId);
  const group = await lockGroup(tx, wish.groupId);
  const fits = await runOne(
    tx,
    `SELECT 1 AS one FROM member m WHERE m.id = $1 AND ${livesInGroup('m', '$2')}`,
    [wish.memberId, group.id],
  );
  if (group.state !== 'published' || !fits) throw notFound(['小组不存在', 'There is no such group']);
  const had = await membershipOf(tx, group.id, wish.memberId);
  if (had?.state === 'in') throw ruleBroken(['您已在该小组', 'You are in the group already']);
  if (had?.state === 'applying') throw ruleBroken(['申请正在审核', 'Your application is being looked at']);
  requireRoom(group);
  const state = group.join_way === 'free' ? 'in' : 'applying';
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO interest_group_member (group_id, member_id, state, joined_at) VALUES ($1, $2, $3, CASE WHEN $3 = 'in' THEN clock_timestamp() END)
     ON CONFLICT (group_id, member_id) DO UPDATE SET state = excluded.state, joined_at = excluded.joined_at, role = 'member', reason = '',
       version = interest_group_member.version + 1, updated_at = now()
     RETURNING id`,
    [group.id, wish.memberId, state],
  ))!;
  await told(tx, id, {
    action: 'join',
    label: state === 'in' ? ['加入小组', 'Joined'] : ['申请加入', 'Applied'],
    ...(had && { from: had.state }),
    to: state,
  });
  return { state };
}

/** Refuses (30101) a member whose penalty keeps it out of groups. */
async function requireMayJoin(tx: Tx, memberId: number): Promise<void> {
  const kept = await runOne<{ until: string | null }>(
    tx,
    `SELECT CASE WHEN isfinite(kept_out_until) THEN to_char(kept_out_until AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') END AS until
       FROM member WHERE id = $1 AND kept_out_until > clock_timestamp()`,
    [memberId],
  );
  if (!kept) return;
  throw ruleBroken(
    kept.until === null
      ? ['您已被永久禁止加入小组', 'You may join no groups']
      : [`您在 ${kept.until} 前不能加入小组`, `You may join no groups until ${kept.until}`],
  );
}

/** A member leaves a group, or takes its application back. The leader hands over first. */
export async function leaveGroup(
  tx: Tx,
  wish: { readonly memberId: number; readonly groupId: number },
): Promise<void> {
  await lockGroup(tx, wish.groupId);
  const had = await membershipOf(tx, wish.groupId, wish.memberId);
  if (!had || (had.state !== 'in' && had.state !== 'applying'))
    throw ruleBroken(['您不在该小组', 'You are not in the group']);
  if (had.role === 'leader') throw ruleBroken(['组长须先移交', 'The leader hands over first']);
  await run(
    tx,
    `UPDATE interest_group_member SET state = 'out', role = 'member', version = version + 1, updated_at = now() WHERE id = $1`,
    [had.id],
  );
  await told(tx, had.id, { action: 'leave', label: ['退出小组', 'Left'], from: had.state, to: 'out' });
}

/** Lets an application in. Throws 30101 for a full group. */
export async function admitMember(tx: Tx, membership: { readonly groupId: number }): Promise<void> {
  const group = await lockGroup(tx, membership.groupId);
  if (group.state !== 'published') throw ruleBroken(['小组未发布', 'The group is not published']);
  requireRoom(group);
}

/**
 * Gives a member of a group a role. A new leader turns the old one into a member; there is one leader and at most three
 * deputies. The leader's role is only taken by naming another.
 */
export async function giveRole(
  tx: Tx,
  wish: {
    readonly groupId: number;
    readonly membershipId: number;
    readonly role: 'leader' | 'vice' | 'member';
    readonly caller: Caller;
  },
): Promise<void> {
  const group = await lockGroup(tx, wish.groupId);
  const row = await runOne<Membership>(
    tx,
    'SELECT id, group_id, member_id, role, state FROM interest_group_member WHERE id = $1 AND group_id = $2',
    [wish.membershipId, group.id],
  );
  if (row?.state !== 'in') throw ruleBroken(['该会员不在小组', 'The member is not in the group']);
  if (row.role === wish.role) throw ruleBroken(['已是该角色', 'It has this role already']);
  if (row.role === 'leader' && group.state === 'published')
    throw ruleBroken(['请先设置其他组长', 'Name another leader first']);
  if (wish.role === 'vice') {
    const { n } = (await runOne<{ n: number }>(
      tx,
      `SELECT count(*)::int AS n FROM interest_group_member WHERE group_id = $1 AND role = 'vice'`,
      [group.id],
    ))!;
    if (n >= MOST_DEPUTIES)
      throw ruleBroken([`副组长最多${MOST_DEPUTIES}名`, `At most ${MOST_DEPUTIES} deputies`]);
  }
  if (wish.role === 'leader') await stepDown(tx, group.id, wish.caller);
  await run(tx, `UPDATE interest_group_member SET role = $2 WHERE id = $1`, [row.id, wish.role]);
}

/** The leader becomes a member. */
async function stepDown(tx: Tx, groupId: number, caller: Caller): Promise<void> {
  const old = await runOne<{ id: number }>(
    tx,
    `UPDATE interest_group_member SET role = 'member', version = version + 1, updated_at = now() WHERE group_id = $1 AND role = 'leader' RETURNING id`,
    [groupId],
  );
  if (old)
    await told(tx, old.id, {
      action: 'role',
      label: ['不再是组长', 'No longer the leader'],
      from: 'in',
      to: 'in',
      caller,
    });
}

/** Puts a member of some projects at the head of their group, into it where it is not in yet. Throws 422 for anybody else. */
export async function placeLeader(
  tx: Tx,
  wish: {
    readonly groupId: number;
    readonly memberId: number;
    readonly projectIds: readonly number[];
    readonly caller: Caller;
  },
): Promise<void> {
  const group = await lockGroup(tx, wish.groupId);
  const fits = await runOne(
    tx,
    `SELECT 1 AS one FROM member m WHERE m.id = $1
        AND EXISTS (SELECT FROM unnest($2::bigint[]) p (id) WHERE ${belongsTo('m', 'p.id')})`,
    [wish.memberId, wish.projectIds],
  );
  if (!fits)
    throw invalid({ leader: ['组长须是所选项目的会员', 'The leader must live in one of the projects'] });
  const had = await membershipOf(tx, group.id, wish.memberId);
  if (had?.role === 'leader') return;
  if (had?.state !== 'in') requireRoom(group);
  await stepDown(tx, group.id, wish.caller);
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO interest_group_member (group_id, member_id, role, state, joined_at) VALUES ($1, $2, 'leader', 'in', clock_timestamp())
     ON CONFLICT (group_id, member_id) DO UPDATE SET role = 'leader', state = 'in', reason = '',
       joined_at = CASE WHEN interest_group_member.state = 'in' THEN interest_group_member.joined_at ELSE excluded.joined_at END,
       version = interest_group_member.version + 1, updated_at = now()
     RETURNING id`,
    [group.id, wish.memberId],
  ))!;
  await told(tx, id, {
    action: 'role',
    label: ['设为组长', 'Made the leader'],
    from: had?.state ?? 'in',
    to: 'in',
    caller: wish.caller,
  });
}

/** Refuses (30101) to publish a group nobody leads. */
export async function requireLeader(db: Executor, groupId: number): Promise<void> {
  const found = await runOne(
    db,
    `SELECT 1 AS one FROM interest_group_member WHERE group_id = $1 AND role = 'leader'`,
    [groupId],
  );
  if (!found) throw ruleBroken(NO_LEADER);
}

/** Members of a group who live in none of some projects. */
export async function membersOnlyElsewhere(
  db: Executor,
  groupId: number,
  projectIds: readonly number[],
): Promise<readonly { readonly id: number; readonly role: string }[]> {
  return run(
    db,
    `SELECT g.id, g.role FROM interest_group_member g JOIN member m ON m.id = g.member_id
      WHERE g.group_id = $1 AND g.state IN ('in', 'applying')
        AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) p (id) WHERE ${belongsTo('m', 'p.id')}) ORDER BY g.id`,
    [groupId, projectIds],
  );
}

/** Takes members out of a group whose projects no longer reach them. */
export async function removeElsewhere(
  tx: Tx,
  wish: { readonly groupId: number; readonly ids: readonly number[]; readonly caller: Caller },
): Promise<void> {
  const reason = '所在项目已移出小组';
  const rows = await run<{ id: number }>(
    tx,
    `UPDATE interest_group_member SET state = 'removed', role = 'member', reason = $3, version = version + 1, updated_at = now()
      WHERE group_id = $1 AND id = ANY($2::bigint[]) RETURNING id`,
    [wish.groupId, wish.ids, reason],
  );
  for (const { id } of rows)
    await told(tx, id, {
      action: 'remove',
      label: ['移出小组', 'Removed'],
      from: 'in',
      to: 'removed',
      remark: reason,
      caller: wish.caller,
    });
}

/** Refuses (30101) posts of a group the member is not in, and of one that is not published (404). */
export async function requireGroupMember(
  tx: Tx,
  wish: { readonly groupId: number; readonly memberId: number },
): Promise<void> {
  const row = await runOne<{ state: string; inside: boolean }>(
    tx,
    `SELECT g.state, EXISTS (SELECT FROM interest_group_member m WHERE m.group_id = g.id AND m.member_id = $2 AND m.state = 'in') AS inside
       FROM interest_group g WHERE g.id = $1 FOR SHARE OF g`,
    [wish.groupId, wish.memberId],
  );
  if (row?.state !== 'published') throw notFound(['小组不存在', 'There is no such group']);
  if (!row.inside) throw ruleBroken(['仅小组成员可发帖', 'Members of the group only']);
}

/**
 * Gives a group the points of the rule of dimension group that is enabled for the event in the project, once per proof,
 * within the rule's caps; budget → the group's account. Without a rule nothing happens. Source: group 10, cs_ownersCircle.
 */
export async function grantGroupPoints(
  tx: Tx,
  settings: SettingsReader,
  done: {
    readonly groupId: number;
    readonly event: 'post.create' | 'activity.check_in';
    readonly subject: string;
    readonly memberId: number;
    readonly projectId: number;
    readonly at: Date;
  },
): Promise<readonly EventEffect[]> {
  const found = await runOne<{ id: number; points: number }>(
    tx,
    `SELECT id, points FROM points_rule WHERE state = 'enabled' AND direction = 'earn' AND event = $1 AND dimension = 'group'
        AND (project_ids = '{}' OR $2::bigint = ANY(project_ids))
        AND coalesce(starts_on <= $3::date, true) AND coalesce(ends_on >= $3::date, true) ORDER BY id LIMIT 1`,
    [done.event, done.projectId, businessDayOf(done.at)],
  );
  if (!found) return [];
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO interest_group_points (group_id, event, subject, member_id, project_id, rule_id, points, at)
     VALUES ($1, $2, $3, $4, $5, $6, 0, $7) ON CONFLICT (group_id, subject) DO NOTHING RETURNING id`,
    [done.groupId, done.event, done.subject, done.memberId, done.projectId, found.id, done.at],
  );
  if (!row) return [];
  const rule = await cappedRule(tx, found.id);
  const caps = await capsOf(tx, settings, {
    memberId: done.memberId,
    rule,
    groupId: done.groupId,
    activity: false,
    at: done.at,
    lock: true,
  });
  const { granted, cut } = cutByCaps(found.points, caps);
  const owner = String(done.groupId);
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('points_group', $1, 'point', 0) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [owner],
  );
  const account = (await runOne<{ id: number }>(
    tx,
    `SELECT id FROM ledger_account WHERE kind = 'points_group' AND owner = $1 AND unit = 'point' FOR UPDATE`,
    [owner],
  ))!;
  const budget = await lockBudget(tx, await defaultBudget(tx, settings));
  const short = granted > 0 && (!budget.enabled || budget.left < granted);
  if (short) await watchBudget(tx, budget.id);
  const points = short ? 0 : granted;
  let transfer: number | null = null;
  if (points > 0) {
    await raiseCaps(tx, caps, points);
    transfer = await bookTransfer(
      tx,
      { type: 'interest_group', id: String(row.id), purpose: 'give' },
      'point',
      [
        { account: budget.accountId, amount: -points },
        { account: account.id, amount: points },
      ],
      { ruleId: rule.id, budgetId: budget.id, note: done.event, at: done.at },
    );
  }
  await run(tx, 'UPDATE interest_group_points SET points = $2, cut = $3, transfer_id = $4 WHERE id = $1', [
    row.id,
    points,
    points < found.points ? (short ? 'budget' : cut) : null,
    transfer,
  ]);
  return points > 0 ? [{ kind: 'group_points', points, rule: done.event }] : [];
}
