import { run } from '../database.ts';
import { containing } from './like-text.ts';
import { Parameters, placeCondition } from '../people/scope.ts';
import type { OptionSource } from '../registration.ts';

/** Where the names of a tenant's own records come from; expressions may read the record as `t`. */
export interface TenantNames {
  readonly target: string;
  /** The table as `t`, with whatever else the expressions read. */
  readonly from: string;
  /** Records that may still be chosen. */
  readonly usable: string;
  /** Expressions a typed text is looked for in; the first is the title. */
  readonly search: readonly [string, ...string[]];
  readonly note?: string;
  /** Column of the record above, for a tree. */
  readonly parent?: string;
  readonly order: string;
  /**
   * Codes of which the caller needs one. Then platform callers are offered the records of every company, or of those
   * the other filter of the list holds, each with its company's name; the others those of their own as ever.
   */
  readonly ofEveryCompany?: readonly string[];
}

/**
 * Picker over records of the caller's own tenant, for whoever fills a form: names only, so every signed-in staff may
 * ask. A name asked for by id is given whether or not the record can still be chosen.
 */
export function tenantOptions(names: TenantNames): OptionSource {
  return {
    target: names.target,
    ...(names.ofEveryCompany ? { anyOf: names.ofEveryCompany } : {}),
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          { tenant: 't.tenant_id', project: 'none', ownTenant: !names.ofEveryCompany },
          parameters,
        ),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : names.usable,
      ];
      if (names.ofEveryCompany && query.within?.length)
        parts.push(`t.tenant_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      if (query.searchVal) {
        const like = parameters.bind(containing(query.searchVal));
        parts.push(`(${names.search.map((one) => `${one} ILIKE ${like}`).join(' OR ')})`);
      }
      const rows = await run<{ id: number; title: string; note?: string; parent?: number | null }>(
        platform.database.db,
        `SELECT t.id, ${names.search[0]} AS title${names.note ? `, ${names.note} AS note` : ''}${names.parent ? `, ${names.parent} AS parent` : ''}
           FROM ${names.from} WHERE ${parts.join(' AND ')}
          ORDER BY ${names.order}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map(({ id, parent, ...row }) => ({
        ...row,
        id: String(id),
        ...(names.parent ? { parentId: parent == null ? null : String(parent) } : {}),
      }));
    },
  };
}
