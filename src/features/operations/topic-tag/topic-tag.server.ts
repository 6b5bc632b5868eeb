import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  OUT_OF_REACH,
  filteredProjects,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { topicTag } from './topic-tag.contract.ts';

const TAKEN: Label = ['所选项目中已有同名标签', 'A tag with this name exists in one of these projects'];
const used = (n: number): Label => fill(['仍有 {n} 个话题使用', 'Used by {n} {n|topic|topics}'], { n });
const projectsOf = 'ARRAY(SELECT p.project_id FROM topic_tag_project p WHERE p.tag_id = t.id)';
const within = (projects: readonly number[], caller: Caller) =>
  caller.projectIds === null || projects.every((id) => caller.projectIds!.includes(Number(id)));
const inReach = (row: DbRow, caller: Caller) =>
  within(row.projectIds as readonly number[], caller) ? undefined : OUT_OF_REACH;

const scope: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM topic_tag_project p WHERE p.tag_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

const bound: BoundResource = bindResource(topicTag, {
  table: 'topic_tag',
  links: {
    projects: { table: 'topic_tag_project', own: 'tag_id', other: 'project_id', to: 'project' },
  },
  columns: { posts: '0' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM topic_tag_project p WHERE p.tag_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope,
  search: `lower(t.code || ' ' || t.name)`,
  unique: { topic_tag_project_name: TAKEN },
  usedBy: { topic_tag_project: false },
  inUse: (uses) => {
    const [zh, en] = used(uses.reduce((sum, one) => sum + one.count, 0));
    return [`${zh}，可合并到另一个标签`, `${en}; it can be merged into another tag`];
  },
  extra: { projectIds: projectsOf },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, merge: inReach, remove: inReach },
  before: [keepUsedProjects],
  handlers: { merge },
  present: async (rows, db, caller) => {
    // What a deletion would be refused for, less what lies in projects the caller does not work in.
    const counts = await run<{ tag_id: number; n: number }>(
      db,
      `SELECT tag_id, count(*)::int AS n FROM (
         SELECT tag_id, project_id FROM post UNION ALL SELECT tag_id, project_id FROM planned_post
         UNION ALL SELECT c.tag_id, (SELECT min(x.project_id) FROM community_topic_project x WHERE x.topic_id = c.id AND ($2::bigint[] IS NULL OR x.project_id = ANY($2)))
           FROM community_topic c) u
        WHERE tag_id = ANY($1::bigint[]) AND ($2::bigint[] IS NULL OR project_id = ANY($2)) GROUP BY tag_id`,
      [rows.map((row) => row.id), caller.projectIds],
    );
    const byTag = new Map(counts.map((one) => [one.tag_id, one.n]));
    for (const row of rows) {
      row.posts = byTag.get(Number(row.id)) ?? 0;
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
  },
});

/** Topic tags of the council hall. */
export const registration = bound.registration;

/** A project leaves a tag only when no topic there bears it; the foreign key of posts holds it in a race. */
async function keepUsedProjects({ tx, action, id, input }: ActionContext): Promise<void> {
  if (action !== 'update' || !Array.isArray(input.projects)) return;
  const left = await runOne<{ n: number }>(
    tx,
    'SELECT count(*)::int AS n FROM post WHERE tag_id = $1 AND project_id <> ALL($2::bigint[])',
    [id, input.projects],
  );
  if (left!.n > 0) throw ruleBroken(used(left!.n), { fields: { projects: used(left!.n) } });
}

/** All topics of a tag take another one, which from then on stands in the projects of both. */
async function merge({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const into = Number(input.into);
  if (into === id) throw invalid({ into: ['不能合并到自己', 'A tag cannot be merged into itself'] });
  const parameters = new Parameters();
  // What the caller does not see does not exist for them.
  const seen = scopeCondition(caller, topicTag.menu, scope, parameters);
  const target = await runOne<{ code: string; name: string; project_ids: number[] }>(
    tx,
    `SELECT t.code, t.name, ${projectsOf} AS project_ids FROM topic_tag t WHERE t.id = ${parameters.bind(into)} AND ${seen} FOR UPDATE`,
    parameters.values,
  );
  if (!target) throw notFound();
  if (!within(target.project_ids, caller)) throw ruleBroken(OUT_OF_REACH);
  const moved = await run(tx, 'SELECT id FROM post WHERE tag_id = $1 FOR UPDATE', [id]);
  await run(
    tx,
    `INSERT INTO topic_tag_project (tag_id, project_id) SELECT $2, project_id FROM topic_tag_project WHERE tag_id = $1
     ON CONFLICT (tag_id, project_id) DO NOTHING`,
    [id, into],
  );
  await run(tx, 'UPDATE post SET tag_id = $2, version = version + 1, updated_at = now() WHERE tag_id = $1', [
    id,
    into,
  ]);
  const remark = `${String(row.code)} ${String(row.name)} → ${target.code} ${target.name} (${moved.length})`;
  await run(tx, 'UPDATE topic_tag SET version = version + 1, updated_at = now() WHERE id = $1', [into]);
  await writeTimeline(tx, {
    entity: topicTag.name,
    entityId: into,
    caller,
    action: 'mergeIn',
    label: [`并入「${String(row.name)}」`, `“${String(row.name)}” merged in`],
    remark,
  });
  await run(tx, 'DELETE FROM topic_tag WHERE id = $1', [id]);
  return { told: true, result: { moved: moved.length, into: String(into) }, remark };
}
