import { call } from '../../../kernel/client/api-client.ts';
import { GROUP_KEY, GROUP_ROOT, type Authority } from './group-wire.ts';

/** The query of the grants dialog, which may be started before the dialog is drawn. */
export const authorityQuery = (groupId: string) => ({
  queryKey: [...GROUP_KEY, groupId, 'authority'],
  // Never swapped under the fingers: the version says when somebody else saved.
  staleTime: Infinity,
  gcTime: 0,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call<Authority>('GET', `${GROUP_ROOT}/${groupId}/authority`, { signal }),
});
