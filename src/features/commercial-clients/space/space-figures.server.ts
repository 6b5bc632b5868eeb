import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import {
  CONTRACT_SCOPE,
  LEDGER_MENU,
  MINE_MENU,
  MINE_SCOPE,
  RUN_MENU,
} from '../../../domain/contract/contract-sight.server.ts';
import { PARTY_B } from '../../../domain/contract/contract-money.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { LIVE } from '../../public-resource/position/position.server.ts';
import { CLIENT_MENU } from '../client/client.contract.ts';
import { SPACE_MENU, type MatchingSpace, type SpaceOverview } from './space.contract.ts';
import { PRESENT, SCOPE, TAKEN_TODAY } from './space-sight.server.ts';

/** SQL: an open client (`t`) fits a space (`s`): its project, its area within a fifth, its rent. */
const FITS = `t.state IN ('lead', 'contacted', 'viewing', 'negotiating') AND EXISTS (SELECT FROM client_project x WHERE x.client_id = t.id AND x.project_id = s.project_id)
  AND (t.area_min IS NULL OR s.built_area * 10 >= t.area_min * 8::bigint) AND (t.area_max IS NULL OR s.built_area * 10 <= t.area_max * 12::bigint)
  AND (t.rent_max IS NULL OR s.rent <= t.rent_max)`;

/** How many clients a caller sees that spaces may interest, by space. Source: group 20, details, matching. */
export async function interestedClients(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0 || !holds(caller, CLIENT_MENU)) return new Map();
  const parameters = new Parameters();
  const rows = await run<{ id: number; n: number }>(
    db,
    `SELECT s.id, count(*)::int AS n FROM space s JOIN client t ON ${FITS}
      WHERE s.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${seenClients(caller, parameters)} GROUP BY s.id`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.id, row.n]));
}

/** Days ahead in which a space may still become free. */
const SOON = 90;

/**
 * Spaces that fit a client the caller sees, best first: in its projects, free now or soon, area within a fifth, rent not above what
 * it wants. Source: group 20, details, matching.
 */
export async function matchingSpaces(
  db: Executor,
  caller: Caller,
  clientId: number,
): Promise<readonly MatchingSpace[]> {
  const parameters = new Parameters();
  const rows = await run<Omit<MatchingSpace, 'area' | 'rent'> & { area: number; rent: number }>(
    db,
    `SELECT s.id::text, s.version, s.number, p.name AS project, b.name AS building, s.floor::integer AS floor, s.built_area AS area, s.rent, f.day::text AS "freeFrom",
            (100 - round(CASE WHEN s.built_area < t.area_min THEN 100.0 * (t.area_min - s.built_area) / t.area_min
                              WHEN s.built_area > t.area_max THEN 100.0 * (s.built_area - t.area_max) / t.area_max ELSE 0 END))::integer AS fit
       FROM client t JOIN space s ON ${FITS} JOIN position q ON q.id = s.id AND q.enabled JOIN project p ON p.id = s.project_id JOIN building b ON b.id = s.building_id
       CROSS JOIN LATERAL (SELECT greatest(${TODAY}, coalesce(s.opens_on, ${TODAY}), max(o.to_on) + 1) AS day FROM position_occupancy o
             WHERE o.position_id = s.id AND ${LIVE} AND o.to_on >= ${TODAY} AND o.from_on <= ${TODAY} + ${SOON}) f
      WHERE t.id = ${parameters.bind(clientId)} AND ${seenClients(caller, parameters)} AND s.closed_on IS NULL AND f.day <= ${TODAY} + ${SOON}
        AND ${placeCondition(caller, residentScope('s.project_id'), parameters)}
      ORDER BY fit DESC, f.day, s.number, s.id LIMIT 50`,
    parameters.values,
  );
  return rows.map((row) => ({ ...row, area: yuanFromFen(row.area), rent: yuanFromFen(row.rent) }));
}

/** Figures of a project from the spaces, clients and contracts a caller sees of it. */
export async function overviewOf(db: Executor, caller: Caller, projectId: number): Promise<SpaceOverview> {
  const parameters = new Parameters();
  const spaces = `t.project_id = ${parameters.bind(projectId)} AND ${PRESENT} AND (t.opens_on IS NULL OR t.opens_on <= ${TODAY})
    AND ${scopeCondition(caller, SPACE_MENU, SCOPE, parameters)}`;
  const sums = (await runOne<{ spaces: number; area: number; let: number; rent: number; rented: number }>(
    db,
    `SELECT count(*)::int AS spaces, coalesce(sum(t.built_area), 0)::bigint AS area, coalesce(sum(t.built_area) FILTER (WHERE n.kind = 'lease'), 0)::bigint AS let,
            coalesce(sum(r.price), 0)::bigint AS rent, coalesce(sum(t.built_area) FILTER (WHERE r.price IS NOT NULL), 0)::bigint AS rented
       FROM space t ${TAKEN_TODAY}
       LEFT JOIN LATERAL (SELECT cp.price FROM contract_position cp JOIN contract k ON k.id = cp.contract_id AND k.price_basis = 'month'
             WHERE n.kind = 'lease' AND cp.contract_id = n.contract_id AND cp.place_id = t.id AND ${TODAY} BETWEEN cp.from_on AND cp.to_on LIMIT 1) r ON true
      WHERE ${spaces}`,
    parameters.values,
  ))!;
  const endings = await run<{ quarter: string; contracts: number }>(
    db,
    `SELECT to_char(n.to_on, 'YYYY"Q"Q') AS quarter, count(*)::int AS contracts FROM space t ${TAKEN_TODAY}
      WHERE n.kind = 'lease' AND ${spaces} GROUP BY 1 ORDER BY 1 LIMIT 12`,
    parameters.values,
  );
  return {
    spaces: sums.spaces,
    area: yuanFromFen(sums.area),
    letArea: yuanFromFen(sums.let),
    vacancy: sums.area === 0 ? '' : ((100 * (sums.area - sums.let)) / sums.area).toFixed(2),
    // Fen over 0.01 m², in fen per m².
    averageRent: sums.rented === 0 ? '' : yuanFromFen(Math.round((sums.rent * 100) / sums.rented)),
    endings,
    stages: await stagesOf(db, caller, projectId),
    contracts: await contractsOf(db, caller, projectId),
  };
}

async function stagesOf(db: Executor, caller: Caller, projectId: number): Promise<SpaceOverview['stages']> {
  if (!holds(caller, CLIENT_MENU)) return [];
  const parameters = new Parameters();
  return run<{ stage: string; clients: number }>(
    db,
    `SELECT t.state AS stage, count(*)::int AS clients FROM client t
      WHERE EXISTS (SELECT FROM client_project x WHERE x.client_id = t.id AND x.project_id = ${parameters.bind(projectId)}) AND ${seenClients(caller, parameters)}
      GROUP BY t.state ORDER BY array_position(ARRAY['lead', 'contacted', 'viewing', 'negotiating', 'signed', 'lost'], t.state)`,
    parameters.values,
  );
}

/** Contracts over spaces of a project that stand in a list of the caller. */
async function contractsOf(
  db: Executor,
  caller: Caller,
  projectId: number,
): Promise<SpaceOverview['contracts']> {
  const parameters = new Parameters();
  const seen = [
    scopeCondition(caller, LEDGER_MENU, CONTRACT_SCOPE, parameters),
    scopeCondition(caller, RUN_MENU, CONTRACT_SCOPE, parameters),
    scopeCondition(caller, MINE_MENU, MINE_SCOPE, parameters),
  ];
  return run<SpaceOverview['contracts'][number]>(
    db,
    `SELECT t.id::text, t.code, t.name, ${PARTY_B} AS "partyB", t.ends_on::text AS "endsOn", t.state FROM contract t
      WHERE t.project_id = ${parameters.bind(projectId)} AND t.state IN ('in_review', 'active', 'expiring')
        AND EXISTS (SELECT FROM contract_position x JOIN space s ON s.id = x.place_id WHERE x.contract_id = t.id)
        AND (${seen.map((one) => `(${one})`).join(' OR ')}) ORDER BY t.ends_on, t.id LIMIT 50`,
    parameters.values,
  );
}
