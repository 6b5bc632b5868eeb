import { run, type Executor } from '../../../kernel/server/database.ts';
import { BUSINESS_TYPES, type BusinessType, type PayeeChannel } from '../../../domain/payee/payee.rules.ts';
import { ABOVE, accountProblemSql, LADDER } from '../../../domain/payee/resolve-payee.server.ts';

/** The account that applies to a project, a business and a channel now. */
export interface Covered {
  readonly projectId: number;
  readonly business: BusinessType;
  readonly channel: PayeeChannel;
  readonly accountId: number;
}

/** Which part of the matrix is asked for; `without`: as if an account took no payments. */
interface CoverageQuestion {
  readonly projectIds?: readonly number[] | null;
  readonly channel?: PayeeChannel | undefined;
  readonly without?: number;
}

/** Everything enabled projects are covered by now, by the rules of `resolvePayee` over all projects at once. */
export async function coverageOf(db: Executor, question: CoverageQuestion = {}): Promise<Covered[]> {
  return run<Covered>(
    db,
    `WITH RECURSIVE wanted AS (SELECT id, name, unit_id, centre_id FROM project WHERE enabled AND ($1::bigint[] IS NULL OR id = ANY($1::bigint[]))),
          ${ABOVE}, ladder AS (${LADDER})
     SELECT DISTINCT ON (l.project_id, b.business, g.channel) l.project_id AS "projectId", b.business, g.channel, a.id AS "accountId"
       FROM ladder l
       JOIN payee_assignment g ON g.level = l.level AND coalesce(g.project_id, 0) = coalesce(l.project, 0)
        AND coalesce(g.organisation_id, 0) = coalesce(l.organisation, 0) AND g.state = 'active'
        AND g.effective_from <= now() AND (g.effective_to IS NULL OR g.effective_to > now())
       JOIN payee_account a ON a.id = g.account_id AND ${accountProblemSql('now()')} IS NULL
       JOIN unnest($2::text[]) AS b (business) ON g.business_type IN (b.business, '*')
      WHERE ($3::text IS NULL OR g.channel = $3) AND a.id IS DISTINCT FROM $4
      ORDER BY l.project_id, b.business, g.channel, l.step, g.business_type = '*', g.id`,
    [
      question.projectIds ?? null,
      Object.keys(BUSINESS_TYPES),
      question.channel ?? null,
      question.without ?? null,
    ],
  );
}

/** Channels that are switched on: some active account takes payments through them. */
export async function channelsInUse(db: Executor): Promise<PayeeChannel[]> {
  const rows = await run<{ channel: PayeeChannel }>(
    db,
    `SELECT DISTINCT a.channel FROM payee_account a WHERE ${accountProblemSql('now()')} IS NULL AND a.channel <> 'bank' ORDER BY a.channel`,
  );
  return rows.map((row) => row.channel);
}

/** Projects that could not be paid any more for some business without an account, by name. */
export async function projectsLeftWithout(
  db: Executor,
  account: { readonly id: number; readonly channel: PayeeChannel },
): Promise<string[]> {
  const now = await coverageOf(db, { channel: account.channel });
  const hit = now.filter((one) => one.accountId === account.id);
  if (hit.length === 0) return [];
  const projectIds = [...new Set(hit.map((one) => one.projectId))];
  const rest = await coverageOf(db, { projectIds, channel: account.channel, without: account.id });
  const covered = new Set(rest.map((one) => `${one.projectId} ${one.business}`));
  const lost = hit.filter((one) => !covered.has(`${one.projectId} ${one.business}`));
  if (lost.length === 0) return [];
  const rows = await run<{ name: string }>(
    db,
    'SELECT name FROM project WHERE id = ANY($1::bigint[]) ORDER BY id',
    [[...new Set(lost.map((one) => one.projectId))]],
  );
  return rows.map((row) => row.name);
}
