import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { approvalProcess } from './approval-process.contract.ts';
import type { Kind } from './flow-words.ts';

/** Business types a process can be designed for, with the fields of their conditions. */
export function useKinds() {
  return useQuery({
    queryKey: [...keysOf.all(approvalProcess.name), 'kinds'],
    staleTime: 10 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly Kind[]>('GET', '/api/jinmao/web/approvalProcess/design/kinds', { signal, quiet: true }),
  });
}
