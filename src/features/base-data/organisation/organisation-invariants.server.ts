import { run } from '../../../kernel/server/database.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';

const looking = (name: string, looked: string, problems: string): Invariant => ({
  name,
  check: async (platform) => {
    const { db } = platform.database;
    const [all] = await run<{ n: number }>(db, looked);
    const wrong = await run<{ line: string }>(db, problems);
    return { looked: all!.n, problems: wrong.map((row) => row.line) };
  },
});

/** What must hold between the tree, its paths, the centre of a project and the rows of the past. */
export const organisationInvariants: readonly Invariant[] = [
  looking(
    'organisation paths follow the parents',
    'SELECT count(*)::int AS n FROM organisation',
    `SELECT 'organisation ' || o.code || ' has a wrong path' AS line FROM organisation o LEFT JOIN organisation p ON p.id = o.parent_id
      WHERE o.path IS DISTINCT FROM coalesce(p.path, '{}') || o.id`,
  ),
  looking(
    'projects stand under the centre of their unit',
    'SELECT count(*)::int AS n FROM project',
    `SELECT 'project ' || p.code || ' is under another centre than its unit' AS line FROM project p JOIN organisation u ON u.id = p.unit_id
      WHERE u.parent_id IS NOT NULL AND u.parent_id <> p.centre_id`,
  ),
  looking(
    'the open period of every organisation and project is its place of today',
    'SELECT (SELECT count(*) FROM organisation) + (SELECT count(*) FROM project) AS n',
    `SELECT 'organisation ' || o.code || ' has another past than its parent' AS line FROM organisation o
      WHERE NOT EXISTS (SELECT FROM organisation_parent_period p WHERE p.organisation_id = o.id AND p.ended_at IS NULL AND p.parent_id IS NOT DISTINCT FROM o.parent_id)
     UNION ALL
     SELECT 'project ' || t.code || ' has another past than its unit' FROM project t
      WHERE NOT EXISTS (SELECT FROM project_unit_period p WHERE p.project_id = t.id AND p.ended_at IS NULL AND p.unit_id = t.unit_id)`,
  ),
];
