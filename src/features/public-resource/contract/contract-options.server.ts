import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { LEDGER, MINE, RUN } from './contract.contract.ts';

const MENUS = [LEDGER, MINE, RUN];

interface Found {
  readonly id: number;
  readonly title: string;
  readonly note: string;
}

/** A picker over rows `t` in reach: by id, else by a word. */
function source(
  target: string,
  spec: {
    readonly from: string;
    readonly title: string;
    readonly note: string;
    readonly word: string;
    readonly offered: string;
    reach(caller: Caller, parameters: Parameters): string;
  },
): OptionSource {
  return {
    target,
    anyOf: MENUS,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const chosen =
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `${spec.offered} AND ${spec.word} ILIKE ${parameters.bind(containing(query.searchVal))}`;
      const rows = await run<Found>(
        platform.database.db,
        `SELECT t.id, ${spec.title} AS title, ${spec.note} AS note FROM ${spec.from} WHERE ${chosen} AND ${spec.reach(caller, parameters)}
          ORDER BY 2, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ id: String(row.id), title: row.title, note: row.note }));
    },
  };
}

/** Pickers of contracts: positions with what has them next, clients in sight, and organisations of projects. */
export const contractOptions: readonly OptionSource[] = [
  source('contractPlace', {
    from: 'position t JOIN project p ON p.id = t.project_id',
    title: 't.code',
    note: `t.name || ' · ' || p.name || ' · ¥' || (t.list_price / 100.0)::numeric(20, 2) || coalesce((SELECT ' · ' || string_agg(o.from_on || '~' || o.to_on, '、' ORDER BY o.from_on)
       FROM (SELECT from_on, to_on FROM position_occupancy WHERE position_id = t.id AND released_at IS NULL AND (expires_at IS NULL OR expires_at > now())
         AND to_on >= (now() AT TIME ZONE 'Asia/Shanghai')::date ORDER BY from_on LIMIT 3) o), '')`,
    word: `(t.code || ' ' || t.name)`,
    offered: 't.enabled',
    reach: (caller, parameters) =>
      placeCondition(caller, { tenant: 'NULL::bigint', project: 't.project_id' }, parameters),
  }),
  source('contractClient', {
    from: 'client t',
    title: 't.name',
    note: 't.code',
    word: 't.name',
    offered: 'TRUE',
    reach: seenClients,
  }),
  source('contractPartyA', {
    from: 'organisation t',
    title: 't.name',
    note: 't.code',
    word: 't.name',
    offered: 't.enabled',
    reach: (caller, parameters) =>
      caller.projectIds === null
        ? caller.tenantKind === 2
          ? 'FALSE'
          : 'TRUE'
        : `EXISTS (SELECT FROM project p LEFT JOIN organisation c ON c.id = p.centre_id WHERE p.id = ANY(${parameters.bind(caller.projectIds)}::bigint[])
             AND t.id IN (p.unit_id, p.centre_id, c.parent_id))`,
  }),
];
