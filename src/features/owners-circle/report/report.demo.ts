import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { memberPenalty, reportCase } from './report.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REASONS = ['advert', 'abuse', 'false', 'advert', 'privacy', 'other', 'fraud'] as const;
const WORDS = ['反复发广告，影响大家', '语气很不友好', '内容不属实', '', '泄露了邻居的门牌', '疑似骗人', ''];
/** State of each case, hours since its first report, reports, days of the penalty. */
const CASES: readonly (readonly [
  state: 'open' | 'handling' | 'upheld' | 'dismissed' | 'appealed',
  hours: number,
  reports: number,
  days?: 1 | 3 | 7,
])[] = [
  ['open', 3, 2],
  ['open', 7, 1],
  ['open', 72, 3],
  ['open', 20, 6],
  ['handling', 30, 4],
  ['handling', 120, 2],
  ['upheld', 200, 5, 3],
  ['upheld', 260, 3, 1],
  ['upheld', 40, 2, 7],
  ['upheld', 400, 1],
  ['dismissed', 180, 2],
  ['dismissed', 330, 1],
  ['dismissed', 500, 4],
  ['appealed', 90, 3],
];

/** Cases in every state with their reports, verdicts and penalties. */
export const demo = defineDemo({
  key: 'reportCases',
  after: ['groupPosts', 'posts'],
  run: async ({ tx, insert, tell, now, as }) => {
    const handler = as('mall1');
    const posts = await run<{
      id: number;
      member_id: number;
      project_id: number;
      group_id: number | null;
      content: string;
      image_ids: string[];
      published_at: Date;
    }>(
      tx,
      `SELECT id, member_id, project_id, group_id, content, image_ids, published_at FROM post
        WHERE review_state = 'passed' AND shown AND deleted_at IS NULL AND topped_at IS NULL
        ORDER BY kind = 'group_post' DESC, (id * 13) % 37, id LIMIT 40`,
    );
    const comments = await run<{
      id: number;
      member_id: number;
      project_id: number;
      group_id: number | null;
      content: string;
      published_at: Date;
    }>(
      tx,
      `SELECT c.id, c.member_id, p.project_id, p.group_id, c.content, c.published_at FROM content_comment c JOIN post p ON p.id = c.post_id
        WHERE c.review_state = 'passed' AND c.shown AND c.deleted_at IS NULL AND c.member_id IS NOT NULL ORDER BY (c.id * 11) % 29, c.id LIMIT 8`,
    );
    if (posts.length < CASES.length || comments.length < 4) return;
    for (const [index, [state, hours, reports, days]] of CASES.entries()) {
      const onComment = index % 4 === 1;
      const target = onComment ? comments[index >> 2]! : posts[index]!;
      const first = new Date(now.getTime() - hours * HOUR);
      const decided = state === 'upheld' || state === 'dismissed' || state === 'appealed';
      const verdictAt = new Date(first.getTime() + Math.min(hours * 0.4, 20) * HOUR);
      const urgent = reports > 5;
      const people = await run<{ id: number; house: number | null }>(
        tx,
        `SELECT m.id, (SELECT h.house_id FROM household h JOIN house o ON o.id = h.house_id WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = $1 ORDER BY h.id LIMIT 1) AS house
           FROM member m WHERE m.project_id = $1 AND m.id <> $2 ORDER BY (m.id * 5 + $3) % 23, m.id LIMIT $4`,
        [target.project_id, target.member_id, index, reports],
      );
      if (people.length === 0) continue;
      const [id] = await insert('report_case', [
        {
          code: await nextCode(tx, 'RP', first),
          target: onComment ? 'comment' : 'post',
          post_id: onComment ? null : target.id,
          comment_id: onComment ? target.id : null,
          project_id: target.project_id,
          group_id: target.group_id,
          author_id: target.member_id,
          revision: 1,
          content: target.content,
          reports: people.length,
          houses: new Set(people.map((one) => one.house).filter((one) => one !== null)).size,
          first_at: first,
          last_at: new Date(first.getTime() + (people.length - 1) * 0.3 * HOUR),
          state,
          urgent,
          auto_hidden: urgent,
          held: urgent,
          assignee_id: state === 'open' ? null : handler.staffId,
          due_at: new Date(first.getTime() + (urgent ? 16 * HOUR : 2 * DAY)),
          content_action: state === 'upheld' || state === 'appealed' ? 'hide' : null,
          verdict_note: state === 'upheld' || state === 'appealed' ? '广告' : '',
          decided_by: decided ? handler.staffId : null,
          decided_at: decided ? verdictAt : null,
          appeal_text: state === 'appealed' ? '我只是转让自家闲置，并不是广告，请再看一下。' : '',
          appealed_at: state === 'appealed' ? new Date(verdictAt.getTime() + 5 * HOUR) : null,
          created_at: first,
          updated_at: first,
        },
      ]);
      await insert(
        'post_report',
        people.map((one, at) => ({
          case_id: id,
          reporter_id: one.id,
          post_id: onComment ? null : target.id,
          comment_id: onComment ? target.id : null,
          revision: 1,
          house_id: one.house,
          reason: REASONS[(index + (at % 2)) % REASONS.length],
          text: WORDS[(index + at) % WORDS.length],
          counts: true,
          at: new Date(first.getTime() + at * 0.3 * HOUR),
        })),
      );
      const said = { entity: reportCase.name, entityId: id! };
      await tell({ ...said, action: 'open', label: ['收到举报', 'Reported'], to: 'open', at: first });
      if (urgent)
        await tell({
          ...said,
          action: 'autoHide',
          label: ['自动隐藏', 'Hidden by itself'],
          remark: `${people.length} 人举报`,
          at: new Date(first.getTime() + HOUR),
        });
      if (state !== 'open')
        await tell({
          ...said,
          caller: handler,
          action: 'claim',
          label: ['认领', 'Claim'],
          from: 'open',
          to: 'handling',
          at: new Date(first.getTime() + 0.2 * HOUR),
        });
      if (decided)
        await tell({
          ...said,
          caller: handler,
          action: state === 'dismissed' ? 'dismiss' : 'uphold',
          label: state === 'dismissed' ? ['不属实', 'Dismiss'] : ['属实', 'Uphold'],
          from: 'handling',
          to: state === 'dismissed' ? 'dismissed' : 'upheld',
          remark: state === 'dismissed' ? '' : '广告',
          at: verdictAt,
        });
      if (state === 'appealed')
        await tell({
          ...said,
          action: 'appeal',
          label: ['作者申诉', 'The author appealed'],
          from: 'upheld',
          to: 'appealed',
          at: new Date(verdictAt.getTime() + 5 * HOUR),
        });
      const hidden = urgent || state === 'upheld' || state === 'appealed';
      if (hidden)
        await run(
          tx,
          onComment
            ? 'UPDATE content_comment SET shown = false WHERE id = $1'
            : 'UPDATE post SET shown = false, hide_code = $2 WHERE id = $1',
          onComment ? [target.id] : [target.id, urgent && !decided ? null : 'advert'],
        );
      if (days !== undefined) {
        const until = new Date(verdictAt.getTime() + days * DAY);
        const over = until < now;
        const [penalty] = await insert('member_penalty', [
          {
            member_id: target.member_id,
            case_id: id,
            project_id: target.project_id,
            kind: 'no_comment',
            days,
            from_at: verdictAt,
            until_at: until,
            reason: '发布广告',
            state: over ? 'ended' : 'running',
            created_by: handler.staffId,
            updated_by: handler.staffId,
            created_at: verdictAt,
            updated_at: verdictAt,
          },
        ]);
        await tell({
          entity: memberPenalty.name,
          entityId: penalty!,
          caller: handler,
          action: 'create',
          label: ['处罚', 'Penalty'],
          to: 'running',
          remark: `禁言 ${days} 天：发布广告`,
          at: verdictAt,
        });
      }
    }
    await run(
      tx,
      `UPDATE post p SET comments = (SELECT count(*) FROM content_comment c WHERE c.post_id = p.id AND c.review_state = 'passed' AND c.shown AND c.deleted_at IS NULL)
        WHERE p.id IN (SELECT c.post_id FROM content_comment c JOIN report_case r ON r.comment_id = c.id)`,
    );
  },
});
