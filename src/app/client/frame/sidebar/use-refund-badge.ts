import { useQuery } from '@tanstack/react-query';
import { call } from '../../../../kernel/client/api-client.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { badgeText } from './badge.rules.ts';

/** Text of the refund badge; loaded once with the sidebar, no badge when it fails or the menu is not held. */
export function useRefundBadge(): string | undefined {
  const isHeld = useSession((state) => state.menus.mm_orderRefund === true);
  const { data } = useQuery({
    queryKey: ['refundBadge'],
    enabled: isHeld,
    staleTime: Infinity,
    gcTime: Infinity,
    queryFn: async () => {
      const path = '/api/jinmao/web/refundAudit/getRefundAuditCount';
      const answer = await call<{ readonly total?: number } | null>('POST', path, {
        body: { auditStat: 0 },
        quiet: true,
      });
      return answer?.total ?? 0;
    },
  });
  return badgeText(data);
}
