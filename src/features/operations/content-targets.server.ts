import { visiblePost } from '../../domain/content/content.server.ts';
import { run } from '../../kernel/server/database.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';

/** Content of residents and operators an advert or a push may open. */
export type ContentTarget = 'family' | 'chamber' | 'activity' | 'topic' | 'group_post';

/** Kinds that are posts. */
export const isPost = (kind: unknown): kind is 'family' | 'chamber' | 'group_post' =>
  kind === 'family' || kind === 'chamber' || kind === 'group_post';

interface TargetSql {
  readonly from: string;
  /** What it is at all; `seen` says whether members see it. */
  readonly is?: string;
  readonly title: string;
  readonly seen: string;
  /** SQL: it is shown in one of some projects. */
  readonly inProjects: (ids: string) => string;
  readonly order: string;
}
const pair = (table: string, column: string, own: string) => (ids: string) =>
  `EXISTS (SELECT FROM ${table} in_p WHERE in_p.${column} = ${own} AND in_p.project_id = ANY(${ids}::bigint[]))`;
/** SQL: how a post (alias) is named. */
export const postTitle = (o: string): string =>
  `coalesce(nullif(left(${o}.content, 30), ''), '#' || ${o}.id)`;
const posts = (kind: string): TargetSql => ({
  from: 'post c',
  title: postTitle('c'),
  is: `c.kind = '${kind}'`,
  seen: `c.kind = '${kind}' AND ${visiblePost('c')}`,
  inProjects:
    kind === 'group_post'
      ? pair('interest_group_project', 'group_id', 'c.group_id')
      : (ids) => `c.project_id = ANY(${ids}::bigint[])`,
  order: 'c.published_at DESC, c.id DESC',
});
const TARGETS: Readonly<Record<ContentTarget, TargetSql>> = {
  family: posts('family'),
  chamber: posts('chamber'),
  group_post: posts('group_post'),
  topic: {
    from: 'community_topic c',
    title: 'c.title',
    seen: `c.state = 'published'`,
    inProjects: pair('community_topic_project', 'topic_id', 'c.id'),
    order: 'c.published_at DESC, c.id DESC',
  },
  activity: {
    from: 'activity c',
    title: 'c.title',
    seen: `c.state = 'published' AND c.ends_at > now()`,
    inProjects: pair('activity_project', 'activity_id', 'c.id'),
    order: 'c.starts_at DESC, c.id DESC',
  },
};

/** SQL: the content of a kind whose id is an expression is visible to members; with a project, in that one. */
export function visibleTarget(kind: ContentTarget, id: string, project?: string): string {
  const { from, seen, inProjects } = TARGETS[kind];
  return `EXISTS (SELECT FROM ${from} WHERE c.id = ${id} AND ${seen}${project ? ` AND ${inProjects(`ARRAY[${project}]`)}` : ''})`;
}

/** Visible content of a kind in the projects the caller works in, for the pickers of some menus. */
export function targetOptions(target: string, kind: ContentTarget, menus: readonly string[]): OptionSource {
  const { from, title, is, seen, inProjects, order } = TARGETS[kind];
  const place: Omit<ScopeColumns, 'owner'> = { tenant: 'NULL::bigint', project: inProjects };
  return {
    target,
    anyOf: menus,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, place, parameters), ...(is ? [is] : [])];
      if (query.ids.length > 0) parts.push(`c.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(seen);
      if (query.searchVal)
        parts.push(`lower(${title}) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT c.id, ${title} AS title FROM ${from} WHERE ${parts.join(' AND ')} ORDER BY ${order}
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ id: String(row.id), title: row.title }));
    },
  };
}
