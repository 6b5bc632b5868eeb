import { run, type Executor } from '../../kernel/server/database.ts';
import type { BusinessType, NotChosen, PayeeChannel, PayeeLevel } from './payee.rules.ts';

/** What a payment is asked for. */
export interface PayeeQuestion {
  readonly projectId: number;
  readonly businessType: BusinessType;
  readonly channel: PayeeChannel;
  /** Instant of the payment; absent: now. */
  readonly time?: Date;
  /** An account named by a payment way (property fees) or by the mall's setting wins while it may take payments. */
  readonly named?: { readonly by: 'payment_way' | 'mall_setting'; readonly accountId: number };
}

/** A rule that could have decided, in the order of the ladder, with why it did not. */
export interface PayeeCandidate {
  readonly accountId: number;
  readonly accountCode: string;
  readonly accountName: string;
  readonly level: PayeeLevel | 'payment_way' | 'mall_setting';
  /** Name of the object; null where the rule is for every company, or the account was named. */
  readonly object: string | null;
  readonly businessType: BusinessType | '*' | null;
  readonly assignmentId: number | null;
  readonly reason: NotChosen;
}

/** Which account takes a payment. */
export interface ResolvedPayee {
  readonly accountId: number | null;
  readonly matchedLevel: PayeeCandidate['level'] | null;
  readonly candidates: readonly PayeeCandidate[];
}

/** SQL: why an account `a` takes no new payment at an instant (an expression), or null. Refunds never ask this. */
export const accountProblemSql = (time: string): string =>
  `CASE WHEN a.state = 'stopped' THEN 'stopped' WHEN a.state = 'expired' OR a.certificate_expires_on <= ${time} THEN 'expired'
        WHEN a.state <> 'active' OR a.purpose <> 'collect' THEN 'not_active' END`;

/** SQL: places of the projects `p` with their distance on the ladder: 0 the project, 1 its unit, 2 its centre, 3 and more companies. */
export const LADDER = `
  SELECT p.id AS project_id, 'project' AS level, p.id AS project, NULL::bigint AS organisation, 0 AS step, p.name AS object FROM wanted p
  UNION ALL SELECT p.id, 'management_unit', NULL, u.id, 1, u.name FROM wanted p JOIN organisation u ON u.id = p.unit_id
  UNION ALL SELECT p.id, 'centre_city', NULL, c.id, 2, c.name FROM wanted p JOIN organisation c ON c.id = p.centre_id
  UNION ALL SELECT p.id, 'company', NULL, o.id, 3 + n.depth, o.name FROM wanted p JOIN above n ON n.project_id = p.id JOIN organisation o ON o.id = n.id
  UNION ALL SELECT p.id, 'company', NULL, NULL, 99, NULL FROM wanted p`;

/** SQL: the companies above the projects `wanted`, nearest first. */
export const ABOVE = `above (project_id, id, parent_id, depth) AS (
    SELECT p.id, o.id, o.parent_id, 0 FROM wanted p JOIN organisation c ON c.id = p.centre_id JOIN organisation o ON o.id = c.parent_id
    UNION ALL SELECT n.project_id, o.id, o.parent_id, n.depth + 1 FROM above n JOIN organisation o ON o.id = n.parent_id WHERE n.depth < 9)`;

/**
 * The account that takes a payment: the named one, else the first hit of project, management unit, centre city and company,
 * the business itself before all of them; only active accounts of the channel that are valid at that time. Every other
 * candidate comes with the reason why not. The payment code and the trial of the screen call this very function.
 * Source: group 15, pm_account, Rules.
 */
export async function resolvePayee(db: Executor, question: PayeeQuestion): Promise<ResolvedPayee> {
  const time = question.time ?? null;
  const rules = await run<{
    assignmentId: number;
    accountId: number;
    accountCode: string;
    accountName: string;
    level: PayeeLevel;
    object: string | null;
    businessType: BusinessType | '*';
    problem: NotChosen | null;
  }>(
    db,
    `WITH RECURSIVE asked AS (SELECT coalesce($4::timestamptz, clock_timestamp()) AS at),
          wanted AS (SELECT id, name, unit_id, centre_id FROM project WHERE id = $1), ${ABOVE}, ladder AS (${LADDER})
     SELECT g.id AS "assignmentId", a.id AS "accountId", a.code AS "accountCode", a.name AS "accountName", g.level, l.object,
            g.business_type AS "businessType",
            coalesce(${accountProblemSql('asked.at')}, CASE WHEN g.state = 'in_review' THEN 'in_review' WHEN g.effective_from > asked.at THEN 'not_yet_valid'
              WHEN g.effective_to <= asked.at THEN 'ended' END) AS problem
       FROM ladder l
       JOIN payee_assignment g ON g.level = l.level AND g.project_id IS NOT DISTINCT FROM l.project
        AND g.organisation_id IS NOT DISTINCT FROM l.organisation AND g.state IN ('active', 'in_review')
        AND g.channel = $3 AND g.business_type IN ($2, '*')
       JOIN payee_account a ON a.id = g.account_id CROSS JOIN asked
      ORDER BY l.step, g.business_type = '*', g.effective_from DESC, g.id`,
    [question.projectId, question.businessType, question.channel, time],
  );
  const candidates: PayeeCandidate[] = [];
  let chosen: PayeeCandidate | undefined;
  const add = (candidate: Omit<PayeeCandidate, 'reason'>, problem: NotChosen | null) => {
    const full = { ...candidate, reason: problem ?? (chosen ? 'less_specific' : 'chosen') } as PayeeCandidate;
    if (!problem) chosen ??= full;
    candidates.push(full);
  };
  if (question.named) {
    const named = await namedAccount(db, question, question.named.accountId, time);
    if (named)
      add(
        { ...named.account, level: question.named.by, object: null, businessType: null, assignmentId: null },
        named.problem,
      );
  }
  for (const { problem, ...rule } of rules) add(rule, problem);
  return { accountId: chosen?.accountId ?? null, matchedLevel: chosen?.level ?? null, candidates };
}

async function namedAccount(db: Executor, question: PayeeQuestion, accountId: number, time: Date | null) {
  const [row] = await run<{
    accountId: number;
    accountCode: string;
    accountName: string;
    problem: NotChosen | null;
  }>(
    db,
    `WITH asked AS (SELECT coalesce($3::timestamptz, clock_timestamp()) AS at)
     SELECT a.id AS "accountId", a.code AS "accountCode", a.name AS "accountName",
            coalesce(${accountProblemSql('asked.at')}, CASE WHEN a.channel <> $2 THEN 'wrong_channel' END) AS problem
       FROM payee_account a CROSS JOIN asked WHERE a.id = $1`,
    [accountId, question.channel, time],
  );
  if (!row) return undefined;
  const { problem, ...account } = row;
  return { account, problem };
}
