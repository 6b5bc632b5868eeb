import { visiblePost } from '../../../domain/content/content.server.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { postTitle } from '../content-targets.server.ts';
import { MEMBER_MENU } from '../points-member/points-member.contract.ts';
import { homeOf } from '../points-member/points-member.server.ts';

/** What a picker offers: rows of the member's project, or of the member. */
interface Offer {
  readonly from: string;
  readonly id?: string;
  readonly title: string;
  readonly note?: string;
  /** Of parameters for the member, the project the event belongs to, and what else its choices follow. */
  readonly where: (member: string, project: string, other: string) => string;
  readonly order: string;
  /** Rows are people: found by the whole name or phone, shown masked. */
  readonly people?: true;
}

const at = (column: string) => `to_char(${column} AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI')`;
const shown = (c: string) => `${c}.review_state = 'passed' AND ${c}.shown AND ${c}.deleted_at IS NULL`;
const inProject = (table: string, column: string, project: string) =>
  `EXISTS (SELECT FROM ${table} x WHERE x.${column} = t.id AND x.project_id = ${project})`;
const posts = {
  from: 'post t',
  title: postTitle('t'),
  note: at('t.published_at'),
  order: 't.published_at DESC, t.id DESC',
};
const comments = {
  from: 'content_comment t',
  title: 'left(t.content, 30)',
  note: at('t.published_at'),
  order: 't.published_at DESC, t.id DESC',
};
const activities = {
  from: 'activity t',
  title: 't.title',
  note: at('t.starts_at'),
  order: 't.starts_at DESC, t.id DESC',
};
const groups = { from: 'interest_group t', title: 't.name', order: 't.name, t.id' };
const advert = (table: string, where: string): Offer => ({
  from: `${table} t`,
  title: 't.title',
  where: (_member, project) => `${where} AND ${inProject(`${table}_project`, `${table}_id`, project)}`,
  order: 't.starts_at DESC, t.id DESC',
});

const OFFERS: Readonly<Record<string, Offer>> = {
  eventPost: { ...posts, where: (_member, project) => `t.project_id = ${project} AND ${visiblePost('t')}` },
  eventOwnPost: { ...posts, where: (member) => `t.member_id = ${member} AND t.deleted_at IS NULL` },
  eventVote: {
    ...posts,
    where: (_member, project) =>
      `t.project_id = ${project} AND ${visiblePost('t')} AND EXISTS (SELECT FROM post_vote v WHERE v.post_id = t.id AND v.ends_at > now())`,
  },
  eventVoteOption: {
    from: 'post_vote_option t JOIN post o ON o.id = t.post_id',
    id: 't.no',
    title: 't.text',
    where: (_member, project, other) =>
      `t.post_id = ${other} AND o.project_id = ${project} AND ${visiblePost('o')}`,
    order: 't.no',
  },
  eventComment: {
    ...comments,
    where: (_member, project) =>
      `${shown('t')} AND EXISTS (SELECT FROM post o WHERE o.id = t.post_id AND o.project_id = ${project} AND ${visiblePost('o')})`,
  },
  eventActivityComment: {
    ...comments,
    where: (_member, project) =>
      `${shown('t')} AND EXISTS (SELECT FROM activity_project x WHERE x.activity_id = t.activity_id AND x.project_id = ${project})`,
  },
  eventOwnComment: { ...comments, where: (member) => `t.member_id = ${member} AND t.deleted_at IS NULL` },
  eventTopic: {
    from: 'community_topic t',
    title: 't.title',
    where: (_member, project) =>
      `t.state = 'published' AND ${inProject('community_topic_project', 'topic_id', project)}`,
    order: 't.published_at DESC, t.id DESC',
  },
  eventTag: {
    from: 'topic_tag t',
    title: 't.name',
    where: (_member, project) => inProject('topic_tag_project', 'tag_id', project),
    order: 't.position, t.id',
  },
  eventActivity: {
    ...activities,
    where: (_member, project) =>
      `t.state = 'published' AND t.ends_at > now() AND ${inProject('activity_project', 'activity_id', project)}`,
  },
  eventSignup: {
    ...activities,
    where: (member) =>
      `EXISTS (SELECT FROM activity_signup s WHERE s.activity_id = t.id AND s.member_id = ${member} AND s.state <> 'cancelled')`,
  },
  eventGroup: {
    ...groups,
    where: (member, project) =>
      `t.state = 'published' AND ${inProject('interest_group_project', 'group_id', project)}
        AND NOT EXISTS (SELECT FROM interest_group_member m WHERE m.group_id = t.id AND m.member_id = ${member} AND m.state IN ('in', 'applying'))`,
  },
  eventOwnGroup: {
    ...groups,
    where: (member) =>
      `t.state = 'published' AND EXISTS (SELECT FROM interest_group_member m WHERE m.group_id = t.id AND m.member_id = ${member} AND m.state = 'in')`,
  },
  eventDecision: {
    from: 'decision t',
    title: 't.title',
    note: 't.code',
    where: (_member, project) => `t.state = 'running' AND NOT t.deleted AND t.project_id = ${project}`,
    order: 't.ends_at, t.id',
  },
  eventHouse: {
    from: 'house t JOIN building_unit u ON u.id = t.unit_id JOIN building b ON b.id = u.building_id',
    title: `(b.name || ' ' || u.name || ' ' || t.number)`,
    where: (member) =>
      `EXISTS (SELECT FROM household h WHERE h.house_id = t.id AND h.member_id = ${member} AND h.identity = 'owner' AND h.status = 'normal')`,
    order: 't.id',
  },
  eventSpec: {
    from: 'points_product_spec s JOIN points_product t ON t.id = s.points_product_id',
    id: 's.id',
    title: `(t.name || ' ' || s.name)`,
    note: `(s.points || CASE WHEN s.cash > 0 THEN ' + ¥' || (s.cash / 100.0)::numeric(12, 2) ELSE '' END)`,
    where: (_member, project) =>
      `t.state = 'published' AND s.taken < s.quantity AND ${inProject('points_product_project', 'points_product_id', project)}`,
    order: 't.name, s.position, s.id',
  },
  eventRedemption: {
    from: 'points_redemption t',
    title: `(t.code || ' ' || t.product_name)`,
    note: at('t.created_at'),
    where: (member) =>
      `t.member_id = ${member} AND t.state IN ('pending_payment', 'to_fulfil', 'shipped', 'to_collect')`,
    order: 't.created_at DESC, t.id DESC',
  },
  eventCase: {
    from: 'report_case t',
    title: `(t.code || ' ' || left(t.content, 20))`,
    where: (member) => `t.author_id = ${member} AND t.state = 'upheld' AND t.appealed_at IS NULL`,
    order: 't.decided_at DESC, t.id DESC',
  },
  eventOrder: {
    from: 'sales_order t',
    title: `(t.code || ' ' || t.title)`,
    where: (member) =>
      `t.member_id = ${member} AND t.kind IN ('goods', 'service') AND t.state = 'completed' AND t.refund_status = 'none' AND t.comment_status = 0`,
    order: 't.completed_at DESC, t.id DESC',
  },
  eventInvitee: {
    from: 'member t',
    title: 't.name',
    note: 't.phone',
    where: (member, project) =>
      `t.id <> ${member} AND t.project_id = ${project} AND t.inviter_id IS NULL AND t.registered_at > now() - interval '7 days'`,
    order: 't.registered_at DESC, t.id DESC',
    people: true,
  },
  eventFamilyAdvert: advert('family_advert', 't.enabled AND t.ends_at > now()'),
  eventMallAdvert: advert('mall_ad', `t.state = 'on' AND t.ends_at > now()`),
  eventLaunchAdvert: advert('launch_advert', `t.state = 'published' AND t.ends_at > now()`),
};

/** Pickers of the form events are recorded in: `within` is the member, then what else the choices follow. */
export const eventOptions: readonly OptionSource[] = Object.entries(OFFERS).map(([target, offer]) => ({
  target,
  anyOf: [`${MEMBER_MENU}:btn_event`],
  find: async ({ caller, platform }, query) => {
    const { db } = platform.database;
    const [member, other = '0'] = query.within ?? [];
    if (member === undefined) return [];
    const seen = new Parameters();
    const reach = scopeCondition(caller, MEMBER_MENU, MEMBER_PLACE, seen);
    const found = await run(
      db,
      `SELECT FROM member t WHERE t.id = ${seen.bind(Number(member))} AND ${reach}`,
      seen.values,
    );
    if (found.length === 0) return [];
    const parameters = new Parameters();
    const bound = [Number(member), await homeOf(db, Number(member), caller.projectIds), Number(other)].map(
      (value) => `${parameters.bind(value)}::bigint`,
    ) as [string, string, string];
    const { id = 't.id', title, note = 'NULL' } = offer;
    // A parameter that a picker has no use for must be named all the same.
    const parts = [offer.where(...bound), `${bound[0]} + ${bound[1]} + ${bound[2]} IS NOT NULL`];
    if (query.ids.length > 0) parts.push(`${id} = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    if (query.searchVal && offer.people) {
      const word = parameters.bind(query.searchVal);
      parts.push(`(t.name = ${word} OR t.phone = ${word})`);
    } else if (query.searchVal)
      parts.push(`lower(${title}) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
    const rows = await run<{ id: number; title: string; note: string | null }>(
      db,
      `SELECT ${id} AS id, ${title} AS title, ${note} AS note FROM ${offer.from} WHERE ${parts.join(' AND ')} ORDER BY ${offer.order}
        LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({
      id: String(row.id),
      title: offer.people ? String(maskValue('name', row.title)) : row.title,
      ...(row.note !== null && { note: offer.people ? String(maskValue('phone', row.note)) : row.note }),
    }));
  },
}));
