import { run } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';

/** Published groups of projects the caller works in: where a post may be moved to. */
export const groupsForPosts: OptionSource = {
  target: 'groupForPost',
  anyOf: ['cs_interestGroupPost:btn_move'],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const scope = {
      tenant: 'NULL::bigint',
      project: (ids: string) =>
        `EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
      owner: 't.created_by',
    } as const;
    const parts = [placeCondition(caller, scope, parameters), `t.state = 'published'`];
    if (query.within && query.within.length > 0)
      parts.push(scope.project(parameters.bind(query.within.map(Number))));
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    if (query.searchVal) parts.push(`t.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title FROM interest_group t WHERE ${parts.join(' AND ')} ORDER BY t.name, t.id
        LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ id: String(row.id), title: row.title }));
  },
};
