import { visiblePost } from '../../../domain/content/content.server.ts';
import { gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { CONTENT_KINDS, contentRanking, STAT_MENU, type ContentKind } from './content-stat.contract.ts';
import { PLACED, projectIds } from './stat-queries.server.ts';

/** Most contents of a ranking. */
const MOST = 1_000;

interface Row {
  readonly id: string;
  readonly kind: ContentKind;
  readonly author: string | null;
  readonly content: string;
  readonly project: string;
  readonly publishedAt: Date;
  readonly likes: number;
  readonly comments: number;
  readonly grade: string | null;
  readonly tag: string | null;
  readonly pv: number;
  readonly uv: number;
}

/** Contents by likes, comments and views. */
export const registration = bindReport(contentRanking, {
  compute: async ({ caller, platform }, request) => {
    const rowsOf = async (from: string, to: string): Promise<Row[]> => {
      const values = new Parameters();
      const projects = projectIds(request.parameters.project);
      const [start, end] = [values.bind(startOfBusinessDay(from)), values.bind(endOfBusinessDay(to))];
      const chosen = projects ? values.bind(projects) : undefined;
      const kinds = values.bind(request.parameters.kind?.split(',') ?? Object.keys(CONTENT_KINDS));
      const seen = scopeCondition(caller, STAT_MENU, PLACED, values);
      const topicSeen = scopeCondition(
        caller,
        STAT_MENU,
        {
          ...PLACED,
          project: (ids) =>
            `EXISTS (SELECT FROM community_topic_project x WHERE x.topic_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
        },
        values,
      );
      return run<Row>(
        platform.replica.db,
        `SELECT * FROM (
           SELECT 'p' || t.id AS id, t.kind, a.name AS author, left(t.content, 60) AS content, j.name AS project, t.published_at AS "publishedAt", t.likes, t.comments,
                  (SELECT g.title FROM grade g WHERE g.id = ${gradeIdSql('a.id')}) AS grade, coalesce(k.name, ig.name) AS tag,
                  (SELECT count(*)::int FROM content_view v WHERE v.post_id = t.id) AS pv, (SELECT count(DISTINCT v.viewer)::int FROM content_view v WHERE v.post_id = t.id) AS uv
             FROM post t JOIN member a ON a.id = t.member_id JOIN project j ON j.id = t.project_id LEFT JOIN topic_tag k ON k.id = t.tag_id
                  LEFT JOIN interest_group ig ON ig.id = t.group_id
            WHERE t.kind = ANY(${kinds}::text[]) AND ${visiblePost('t')} AND NOT a.official
              AND t.published_at >= ${start} AND t.published_at < ${end} AND ${seen} ${chosen ? `AND t.project_id = ANY(${chosen}::bigint[])` : ''}
           UNION ALL
           SELECT 't' || t.id, 'topic', NULL, t.title, (SELECT string_agg(j.name, '、' ORDER BY j.id) FROM community_topic_project x JOIN project j ON j.id = x.project_id
                    WHERE x.topic_id = t.id AND (${values.bind(caller.projectIds)}::bigint[] IS NULL OR j.id = ANY(${values.bind(caller.projectIds)}::bigint[]))),
                  t.published_at, t.likes, t.comments, NULL, k.name,
                  (SELECT count(*)::int FROM content_view v WHERE v.topic_id = t.id), (SELECT count(DISTINCT v.viewer)::int FROM content_view v WHERE v.topic_id = t.id)
             FROM community_topic t LEFT JOIN topic_tag k ON k.id = t.tag_id
            WHERE 'topic' = ANY(${kinds}::text[]) AND t.state = 'published' AND t.published_at >= ${start} AND t.published_at < ${end} AND ${topicSeen}
              ${chosen ? `AND EXISTS (SELECT FROM community_topic_project x WHERE x.topic_id = t.id AND x.project_id = ANY(${chosen}::bigint[]))` : ''}
         ) r ORDER BY r.likes DESC, r.id LIMIT ${MOST}`,
        values.values,
      );
    };
    const rows = await rowsOf(request.from, request.to);
    const before = await rowsOf(request.previousFrom, request.previousTo);
    const sum = (of: readonly Row[], name: 'likes' | 'comments' | 'pv') =>
      of.reduce((total, row) => total + row[name], 0);
    return {
      figures: {
        contents: { value: rows.length, previous: before.length, spark: [] },
        likes: { value: sum(rows, 'likes'), previous: sum(before, 'likes'), spark: [] },
        comments: { value: sum(rows, 'comments'), previous: sum(before, 'comments'), spark: [] },
      },
      charts: {
        top: rows.slice(0, 10).map((row) => ({
          key: row.id,
          label: Array.from(row.content).slice(0, 12).join(''),
          values: { likes: row.likes, comments: row.comments, pv: row.pv },
        })),
      },
      rows: rows.map((row) => ({
        ...row,
        author: row.author === null ? null : maskValue('name', row.author),
      })),
      sums: { likes: sum(rows, 'likes'), comments: sum(rows, 'comments'), pv: sum(rows, 'pv') },
    };
  },
});
