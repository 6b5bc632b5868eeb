import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { Invariant } from '../../kernel/server/registration.ts';
import { tellEach } from '../message-send/tell-member.server.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { TODAY } from '../../kernel/server/today.ts';

/** SQL: id of the grade of a member with this id: the one that is fixed today, else the highest whose threshold is reached. */
export const gradeIdSql = (memberId: string) => `(SELECT grade_x.id FROM grade grade_x
   LEFT JOIN member_grade grade_m ON grade_m.member_id = ${memberId}
  WHERE CASE WHEN grade_m.fixed_until >= ${TODAY} THEN grade_x.id = grade_m.fixed_id ELSE grade_x.threshold <= coalesce(grade_m.basis, 0) END
  ORDER BY grade_x.threshold DESC LIMIT 1)`;

/** SQL: what a member earned that counts for its grade. */
export const basisSql = (memberId: string) =>
  `coalesce((SELECT grade_b.basis FROM member_grade grade_b WHERE grade_b.member_id = ${memberId}), 0)`;

/**
 * Adds what was granted, or takes away what was taken back, behind the locks of the members, who each stand in the list once; who
 * reaches a grade is told. Source: group 01, os_userGrade.
 */
export async function moveBases(
  tx: Tx,
  moves: readonly { readonly memberId: number; readonly by: number }[],
): Promise<void> {
  const rows = await run<{ memberId: number; title: string | null }>(
    tx,
    `WITH moved AS (
       INSERT INTO member_grade (member_id, basis) SELECT x.id, x.by FROM unnest($1::bigint[], $2::bigint[]) AS x(id, by) ORDER BY x.id
       ON CONFLICT (member_id) DO UPDATE SET basis = member_grade.basis + excluded.basis
       RETURNING member_id, basis, coalesce(fixed_until >= ${TODAY}, false) AS fixed)
     SELECT m.member_id AS "memberId", (SELECT g.title FROM grade g WHERE x.by > 0 AND NOT m.fixed AND g.threshold > m.basis - x.by AND g.threshold <= m.basis
              ORDER BY g.threshold DESC LIMIT 1) AS title
       FROM moved m JOIN unnest($1::bigint[], $2::bigint[]) AS x(id, by) ON x.id = m.member_id`,
    [moves.map((one) => one.memberId), moves.map((one) => one.by)],
  );
  await tellEach(
    tx,
    rows
      .filter((row) => row.title !== null)
      .map(({ memberId, title }) => ({ memberId, ...gradeReached(title!) })),
  );
}

const gradeReached = (title: string): { readonly title: Label; readonly body: Label } => ({
  title: ['等级提升', 'A higher grade'],
  body: [`恭喜，您已成为「${title}」`, `You have reached the grade “${title}”`],
});

/** SQL: the basis of each member as the ledger says it. */
const LEDGER_BASIS = `SELECT t.member_id, sum(CASE WHEN t.counts_for_grade THEN e.sum ELSE -e.sum END)::bigint AS basis
  FROM ledger_transfer t
  JOIN LATERAL (SELECT coalesce(sum(x.amount), 0) AS sum FROM ledger_entry x WHERE x.transfer_id = t.id AND x.amount > 0) e ON true
 WHERE t.member_id IS NOT NULL AND (t.counts_for_grade OR EXISTS (SELECT FROM ledger_transfer o WHERE o.id = t.reverses AND o.counts_for_grade))
 GROUP BY t.member_id`;

/** What counts for grades against the ledger. */
export const gradeInvariants: readonly Invariant[] = [
  {
    name: 'points.grade_basis',
    check: async ({ database }) => {
      const looked = await runOne<{ n: number }>(database.db, 'SELECT count(*)::int AS n FROM member_grade');
      const off = await run<{ member_id: number; found: number; expected: number }>(
        database.db,
        `SELECT coalesce(g.member_id, l.member_id) AS member_id, coalesce(g.basis, 0) AS found, coalesce(l.basis, 0) AS expected
           FROM member_grade g FULL JOIN (${LEDGER_BASIS}) l ON l.member_id = g.member_id
          WHERE coalesce(g.basis, 0) <> coalesce(l.basis, 0) LIMIT 100`,
      );
      return {
        looked: looked!.n,
        problems: off.map(
          (row) => `member ${row.member_id}: ${row.found} for the grade, ${row.expected} by the ledger`,
        ),
      };
    },
  },
];
