import { maskValue } from '../../kernel/contract/mask.rules.ts';
import { run } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';

/** SQL: the member with this alias lives in one of the projects, by a household or by where it stands first of all. */
export const livesIn = (m: string, ids: string) =>
  `(${m}.project_id = ANY(${ids}::bigint[]) OR EXISTS (SELECT FROM household scope_h JOIN house scope_o ON scope_o.id = scope_h.house_id
     WHERE scope_h.member_id = ${m}.id AND scope_h.status IN ('normal', 'reviewing') AND scope_o.project_id = ANY(${ids}::bigint[])))`;

/** Members (`t`) by their projects; they belong to no tenant, so that a merchant sees none. Source: group 22, data scope. */
export const MEMBER_PLACE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) => livesIn('t', ids),
  owner: 't.created_by',
};

/** Picker of the members (`t`) some condition holds of: found by the whole name or phone, shown masked. */
export function memberOptions(
  target: string,
  menus: readonly string[],
  holds: (caller: Caller, parameters: Parameters) => string,
): OptionSource {
  return {
    target,
    anyOf: menus,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [holds(caller, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      const word = query.searchVal.trim();
      if (word) {
        const value = parameters.bind(word);
        parts.push(`(t.phone = ${value} OR t.name = ${value})`);
      }
      const rows = await run<{ id: number; name: string; phone: string; project: string | null }>(
        platform.database.db,
        `SELECT t.id, t.name, t.phone, p.name AS project FROM member t LEFT JOIN project p ON p.id = t.project_id
          WHERE ${parts.join(' AND ')} ORDER BY t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: `${maskValue('name', row.name)} ${maskValue('phone', row.phone)}`,
        note: row.project ?? '',
      }));
    },
  };
}

/** Picker of members in reach. */
export const pointsMembers = memberOptions(
  'memberInReach',
  [
    'pointsSend',
    'ssm_personIntegralRule',
    'pointsAccount',
    'os_resignCard',
    'cs_ownersCircle',
    'accountsReceivable',
    'accountsConfirm',
    'order',
  ],
  (caller, parameters) => placeCondition(caller, MEMBER_PLACE, parameters),
);
