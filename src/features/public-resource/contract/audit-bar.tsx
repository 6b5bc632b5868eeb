import '../approval-handling/approval-handling.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { DecisionBar } from '../approval-handling/decision-bar.tsx';
import type { BarredApproval, ShownApproval } from '../approval-handling/handling-types.ts';

/** What may be decided about the approval of a contract, or of its change, that runs now; nothing where the staff has no part in it. */
export function AuditBar({ resource, id }: { readonly resource: Resource; readonly id: string }) {
  const { data: row } = useRow(resource, id);
  const approvals = (row?.approvals ?? []) as readonly { readonly id: string; readonly state: string }[];
  const running = approvals.find((one) => one.state === 'running')?.id;
  const approval = useQuery({
    queryKey: ['approval', 'instance', running],
    enabled: running !== undefined,
    retry: false,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<ShownApproval | BarredApproval>('GET', `/api/admin/approval/instance/${running}`, {
        signal,
        quiet: true,
      }),
  });
  return running !== undefined && approval.data?.barred === false ? (
    <DecisionBar key={approval.data.id} approval={approval.data} />
  ) : null;
}
