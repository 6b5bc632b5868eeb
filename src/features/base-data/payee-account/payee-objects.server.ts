import { run, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { PAYEE_LEVELS, type PayeeLevel } from '../../../domain/payee/payee.rules.ts';

/** What an assignment is for, as its columns hold it. */
export interface PayeeObject {
  readonly level: PayeeLevel;
  readonly projectId: number | null;
  readonly organisationId: number | null;
}

/** Picker id of "every company". Others are the id of a project or organisation with 1 or 2 behind it. */
const EVERYWHERE = 9;

/** SQL: the picker id and the name of an assignment's object; `p` is its project, `o` its organisation. */
export const OBJECT_COLUMN = {
  id: `CASE WHEN t.project_id IS NOT NULL THEN t.project_id * 10 + 1 WHEN t.organisation_id IS NOT NULL THEN t.organisation_id * 10 + 2 ELSE ${EVERYWHERE} END`,
  title: `coalesce(p.name, o.name, '全部公司')`,
} as const;

interface ObjectRow {
  readonly id: number;
  readonly title: string;
  readonly kind: PayeeLevel;
}

/**
 * Projects and organisations that can be given an account. Callers of a company or centre city are offered their projects and
 * the nodes all of whose projects are theirs; every company at once only the platform.
 */
async function objectsInReach(
  db: Executor,
  caller: Caller,
  query: { readonly ids: readonly number[]; readonly searchVal: string; offset: number; limit: number },
): Promise<ObjectRow[]> {
  return run<ObjectRow>(
    db,
    `WITH RECURSIVE below (top, id) AS (
            SELECT id, id FROM organisation UNION ALL SELECT b.top, o.id FROM below b JOIN organisation o ON o.parent_id = b.id),
          object AS (
            SELECT p.id * 10 + 1 AS id, p.name AS title, 'project' AS kind, p.enabled, 4 AS rank, p.name AS word FROM project p
             WHERE $1::bigint[] IS NULL OR p.id = ANY($1::bigint[])
            UNION ALL
            SELECT o.id * 10 + 2, o.name, o.kind, o.enabled, CASE o.kind WHEN 'company' THEN 1 WHEN 'centre_city' THEN 2 ELSE 3 END, o.name FROM organisation o
             WHERE $1::bigint[] IS NULL OR (EXISTS (SELECT FROM below b JOIN project p ON p.unit_id = b.id WHERE b.top = o.id)
               AND NOT EXISTS (SELECT FROM below b JOIN project p ON p.unit_id = b.id WHERE b.top = o.id AND p.id <> ALL($1::bigint[])))
            UNION ALL SELECT ${EVERYWHERE}, '全部公司', 'company', true, 0, '全部公司 all companies' WHERE $5)
     SELECT id, title, kind FROM object
      WHERE CASE WHEN cardinality($2::bigint[]) > 0 THEN id = ANY($2::bigint[]) ELSE enabled AND word ILIKE $3 END
      ORDER BY rank, id LIMIT $4 OFFSET $6`,
    [
      caller.projectIds,
      query.ids,
      containing(query.searchVal),
      query.limit,
      caller.tenantKind === 3 && caller.projectIds === null,
      query.offset,
    ],
  );
}

/** Picker of objects. */
export const objectOptions: OptionSource = {
  target: 'payeeObject',
  anyOf: ['pm_account'],
  find: async ({ caller, platform, facts }, query) => {
    const rows = await objectsInReach(platform.database.db, caller, {
      ...query,
      ids: query.ids.map(Number),
    });
    const language = facts.language === 'zh' ? 0 : 1;
    return rows.map((row) => ({
      id: String(row.id),
      title: row.id === EVERYWHERE ? ['全部公司', 'Every company'][language]! : row.title,
      note: PAYEE_LEVELS[row.kind].label[language],
    }));
  },
};

/** The object of a picker id, or 404 for what the caller is not offered. */
export async function requireObject(db: Executor, caller: Caller, id: number): Promise<PayeeObject> {
  const [row] = await objectsInReach(db, caller, { ids: [id], searchVal: '', offset: 0, limit: 1 });
  if (!row) throw notFound();
  const own = Math.floor(id / 10);
  return {
    level: row.kind,
    projectId: row.kind === 'project' ? own : null,
    organisationId: row.kind === 'project' || id === EVERYWHERE ? null : own,
  };
}

/** Tenants that can own an account: companies, centre cities and the platform; others than the platform see their own. */
export const ownerOptions: OptionSource = {
  target: 'payeeOwner',
  anyOf: ['pm_account'],
  find: async ({ caller, platform }, query) => {
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title FROM tenant t WHERE t.kind IN (1, 3, 4) AND ($1 OR t.id = $2)
          AND CASE WHEN cardinality($3::bigint[]) > 0 THEN t.id = ANY($3::bigint[]) ELSE t.enabled AND t.name ILIKE $4 END
        ORDER BY t.kind DESC, t.id LIMIT $5 OFFSET $6`,
      [
        caller.tenantKind === 3,
        caller.tenantId,
        query.ids.map(Number),
        containing(query.searchVal),
        query.limit,
        query.offset,
      ],
    );
    return rows.map((row) => ({ id: String(row.id), title: row.title }));
  },
};
