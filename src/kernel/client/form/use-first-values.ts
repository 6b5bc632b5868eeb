import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { formFieldNames, type ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { rootOf, type OptionEntry, type RowData } from '../wire.ts';
import {
  asksSettings,
  constantValues,
  copiedValues,
  givenValues,
  namelessRefs,
  withTitles,
} from './first-values.rules.ts';
import { toInput, type FormValues } from './form-values.rules.ts';

/** What a new row starts from beside the contract. */
export interface FirstValues {
  /** Id of the row it is a copy of. */
  readonly copyOf?: string | undefined;
  /** Values by field name as an address gives them. */
  readonly query?: URLSearchParams | undefined;
}

const NOTHING = new URLSearchParams();

/** The values a create form opens with. Asks the server only for what is not known here. */
export function useFirstValues(resource: ResourceSpec, from: FirstValues, enabled: boolean) {
  const names = formFieldNames(resource, 'create');
  const { fields } = resource;
  const query = from.query ?? NOTHING;
  // One opening, one answer: what was typed is never swapped for it.
  const [opening] = useState(() => Math.random());
  const constants = { ...constantValues(fields, names), ...givenValues(fields, names, query) };
  const settings = asksSettings(fields, names);
  const asks =
    settings || from.copyOf !== undefined || Object.keys(namelessRefs(fields, constants)).length > 0;
  const answer = useQuery({
    queryKey: ['firstValues', resource.name, from.copyOf ?? '', query.toString(), opening],
    enabled: enabled && asks,
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async ({ signal }): Promise<FormValues> => {
      const root = rootOf(resource);
      const [resolved, model] = await Promise.all([
        settings ? call<FormValues>('GET', `${root}/initial`, { signal }) : {},
        from.copyOf === undefined
          ? undefined
          : call<RowData>('GET', `${root}/${encodeURIComponent(from.copyOf)}`, { signal }),
      ]);
      const asked = Object.fromEntries(
        Object.entries(resolved)
          .filter(([name]) => names.includes(name))
          .map(([name, value]) => [name, toInput(fields[name]!, value)]),
      );
      const values = { ...asked, ...constants, ...(model ? copiedValues(fields, names, model) : {}) };
      const titles: Record<string, Record<string, string>> = {};
      for (const [target, ids] of Object.entries(namelessRefs(fields, values))) {
        const entries = await call<readonly OptionEntry[]>(
          'GET',
          `/api/jinmao/web/options/${encodeURIComponent(target)}`,
          { query: { ids: ids.join(','), limit: 200 }, signal, quiet: true },
        ).catch(() => []);
        titles[target] = Object.fromEntries(entries.map((one) => [one.id, one.title]));
      }
      return withTitles(fields, values, titles);
    },
  });
  return {
    values: asks ? answer.data : constants,
    error: answer.isError ? answer.error : undefined,
    retry: () => void answer.refetch(),
  };
}
