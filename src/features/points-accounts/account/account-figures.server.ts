import { z } from 'zod';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  differencesOf,
  type Difference,
} from '../../../domain/points-ledger/points-account-invariants.server.ts';
import {
  ACCOUNT_MENU,
  type AccountDifference,
  type AccountFigures,
  type AccountOverview,
} from './account.contract.ts';

const ROOT = '/jinmao/web/pointsAccount';
/** Most accounts of one reconciliation. */
const MOST = 500;

/** SQL: sum of the entries on the other sides of a member's transfers; `member` is the member's id. */
export const movedSql = (member: string, kinds: string, more = 'TRUE') =>
  `(SELECT coalesce(sum(e.amount), 0)::bigint FROM ledger_transfer l JOIN ledger_entry e ON e.transfer_id = l.id JOIN ledger_account o ON o.id = e.account_id
     WHERE l.member_id = ${member} AND o.unit = 'point' AND o.kind IN (${kinds}) AND ${more})`;

/** Accounts points come from. */
export const SOURCES = `'points_issue', 'points_budget', 'points_budget_hold'`;

/** SQL: what of a member's points expires in so many days. */
export const expiringSql = (member: string, days: string) =>
  `(SELECT coalesce(sum(x.remaining), 0)::bigint FROM points_lot x JOIN ledger_account y ON y.id = x.account_id
     WHERE y.member_id = ${member} AND y.unit = 'point' AND x.remaining > 0 AND x.expires_at > now() AND x.expires_at <= now() + make_interval(days => ${days}))`;

/** SQL: what is announced to a member. */
export const pendingSql = (member: string) =>
  `(SELECT coalesce(sum(w.amount - w.reduced), 0)::bigint FROM points_pending w WHERE w.member_id = ${member} AND w.state = 'waiting' AND w.unit = 'point')`;

/** Ids of the caller's accounts, of some or all. */
async function inScope({ caller, platform }: Pick<Call, 'caller' | 'platform'>, ids?: readonly number[]) {
  const parameters = new Parameters();
  const only = ids ? ` AND t.id = ANY(${parameters.bind(ids)}::bigint[])` : '';
  const rows = await run<{ id: number }>(
    platform.database.db,
    `SELECT t.id FROM member t WHERE ${scopeCondition(caller, ACCOUNT_MENU, MEMBER_PLACE, parameters)}${only}
        AND EXISTS (SELECT FROM ledger_account a WHERE a.member_id = t.id)`,
    parameters.values,
  );
  return rows.map((row) => row.id);
}

const wireOf = ({ memberId, ...one }: Difference): AccountDifference => ({
  ...one,
  account: memberId === null ? null : String(memberId),
});

/** Cards, the parts of one account, and the check of some. */
export function figureEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/figures`,
      title: ['积分概览', 'Figures of points'],
      access: { code: ACCOUNT_MENU },
      handle: async (call): Promise<AccountFigures> => {
        const { db } = call.platform.database;
        const ids = await inScope(call);
        const row = (await runOne<{
          outstanding: number;
          pending: number;
          expiring: number;
          owed: number;
        }>(
          db,
          `SELECT coalesce(sum(a.balance) FILTER (WHERE a.kind <> 'points_debt'), 0)::bigint AS outstanding,
                  coalesce(-sum(a.balance) FILTER (WHERE a.kind = 'points_debt'), 0)::bigint AS owed,
                  (SELECT coalesce(sum(w.amount - w.reduced), 0)::bigint FROM points_pending w WHERE w.state = 'waiting' AND w.unit = 'point' AND w.member_id = ANY($1::bigint[])) AS pending,
                  (SELECT coalesce(sum(x.remaining), 0)::bigint FROM points_lot x JOIN ledger_account y ON y.id = x.account_id
                    WHERE y.member_id = ANY($1::bigint[]) AND y.unit = 'point' AND x.remaining > 0 AND x.expires_at > now() AND x.expires_at <= now() + interval '30 days') AS expiring
             FROM ledger_account a WHERE a.member_id = ANY($1::bigint[]) AND a.unit = 'point'`,
          [ids],
        ))!;
        const fen = await call.platform.settings.number('points.fen_per_point');
        return {
          outstanding: row.outstanding,
          liability: yuanFromFen(row.outstanding * fen),
          pending: row.pending,
          expiring30: row.expiring,
          owed: row.owed,
          differences: (await differencesOf(db, ids)).differences.length,
          accounts: ids.length,
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/reconcile`,
      title: ['对账', 'Reconcile'],
      access: { code: `${ACCOUNT_MENU}:btn_reconcile` },
      body: z.strictObject({ ids: z.array(z.string().regex(/^\d{1,15}$/)).max(MOST) }),
      handle: async (call) => {
        const ids = await inScope(call, call.body.ids.length > 0 ? call.body.ids.map(Number) : undefined);
        const { looked, differences } = await differencesOf(call.platform.database.db, ids);
        return { accounts: ids.length, looked, differences: differences.slice(0, MOST).map(wireOf) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/overview`,
      title: ['账户概览', 'Overview of an account'],
      access: { code: ACCOUNT_MENU },
      handle: async (call): Promise<AccountOverview> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        return overviewOf(
          call.platform.database.db,
          id,
          await call.platform.settings.number('points.fen_per_point'),
        );
      },
    }),
  ];
}

async function overviewOf(db: Executor, id: number, fen: number): Promise<AccountOverview> {
  const sums = (await runOne<Record<string, number>>(
    db,
    `SELECT coalesce((SELECT balance FROM ledger_account WHERE member_id = $1 AND kind = 'points_available' AND unit = 'point'), 0)::bigint AS available,
            coalesce((SELECT balance FROM ledger_account WHERE member_id = $1 AND kind = 'points_held' AND unit = 'point'), 0)::bigint AS held,
            coalesce((SELECT -balance FROM ledger_account WHERE member_id = $1 AND kind = 'points_debt' AND unit = 'point'), 0)::bigint AS owed,
            ${pendingSql('$1')} AS pending, -${movedSql('$1', SOURCES, 'e.amount < 0')} AS granted, ${movedSql('$1', SOURCES, 'e.amount > 0')} AS recalled,
            ${movedSql('$1', `'points_redeemed'`)} AS used, ${movedSql('$1', `'points_expired'`)} AS expired, ${movedSql('$1', `'points_clawed_back'`)} AS "takenBack"`,
    [id],
  ))!;
  const months = await run<{ month: string; granted: number; used: number; expired: number }>(
    db,
    `SELECT to_char(m.start, 'YYYY-MM') AS month,
            coalesce(-sum(e.amount) FILTER (WHERE o.kind IN (${SOURCES})), 0)::bigint AS granted,
            coalesce(sum(e.amount) FILTER (WHERE o.kind = 'points_redeemed'), 0)::bigint AS used,
            coalesce(sum(e.amount) FILTER (WHERE o.kind = 'points_expired'), 0)::bigint AS expired
       FROM generate_series(date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') - interval '11 months', date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai'), interval '1 month') AS m(start)
       LEFT JOIN ledger_transfer l ON l.member_id = $1 AND l.at >= m.start AT TIME ZONE 'Asia/Shanghai' AND l.at < (m.start + interval '1 month') AT TIME ZONE 'Asia/Shanghai'
       LEFT JOIN ledger_entry e ON e.transfer_id = l.id LEFT JOIN ledger_account o ON o.id = e.account_id AND o.unit = 'point'
      GROUP BY m.start ORDER BY m.start`,
    [id],
  );
  const upcoming = await run<{ id: number; expires_at: Date | null; points: number; running: number }>(
    db,
    `SELECT x.id, x.expires_at, x.remaining AS points, sum(x.remaining) OVER (ORDER BY x.expires_at NULLS LAST, x.granted_at, x.id)::bigint AS running
       FROM points_lot x JOIN ledger_account y ON y.id = x.account_id
      WHERE y.member_id = $1 AND y.unit = 'point' AND x.remaining > 0 AND (x.expires_at IS NULL OR x.expires_at > now())
      ORDER BY x.expires_at NULLS LAST, x.granted_at, x.id`,
    [id],
  );
  const { differences } = await differencesOf(db, [id]);
  return {
    available: sums.available!,
    held: sums.held!,
    owed: sums.owed!,
    pending: sums.pending!,
    granted: sums.granted!,
    used: sums.used!,
    expired: sums.expired!,
    takenBack: sums.takenBack!,
    recalled: sums.recalled!,
    liability: yuanFromFen((sums.available! + sums.held!) * fen),
    differences: differences.map(wireOf),
    months,
    upcoming: upcoming.map((lot) => ({
      lot: `L${lot.id}`,
      expiresAt: lot.expires_at === null ? null : isoInstant(lot.expires_at),
      points: lot.points,
      running: lot.running,
    })),
  };
}
