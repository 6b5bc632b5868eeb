import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from './api-client.ts';

/** Query key of the staff's preferences. */
export const preferenceKey = ['preference'] as const;

type Preferences = Readonly<Record<string, unknown>>;

/** The call for the preferences: once per load of the page. */
export const preferenceQuery = {
  queryKey: preferenceKey,
  queryFn: () => call<Preferences>('GET', '/api/admin/preference', { quiet: true }),
  staleTime: Infinity,
} as const;

/** A preference of the staff kept on the server, and the function that stores it. Undefined until it is known. */
export function usePreference<T>(key: string): readonly [T | undefined, (value: T) => void] {
  const client = useQueryClient();
  const { data } = useQuery(preferenceQuery);
  return [data?.[key] as T | undefined, (value) => storePreference(client, key, value)];
}

/** True once preferences were answered or failed: lists wait for it so that columns do not jump. */
export function usePreferencesSettled(): boolean {
  const { isPending } = useQuery(preferenceQuery);
  return !isPending;
}

/** Stores a preference at once in the page and then on the server; the page keeps it when the server is away. */
export function storePreference(client: QueryClient, key: string, value: unknown): void {
  client.setQueryData<Preferences>(preferenceKey, (all) => ({ ...all, [key]: value }));
  call('PUT', `/api/admin/preference/${encodeURIComponent(key)}`, { body: { value }, quiet: true }).catch(
    () => {},
  );
}
