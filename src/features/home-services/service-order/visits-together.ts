import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { keysOf } from '../../../kernel/client/wire.ts';
import { appointment } from '../appointment/appointment.contract.ts';
import { serviceGroupOrder } from './service-group-order.contract.ts';
import { serviceOrder } from './service-order.contract.ts';

/** Lists of the same visits under three menus. */
export const VISIT_LISTS: readonly string[] = [appointment.name, serviceOrder.name, serviceGroupOrder.name];

/** Lists that were told to be fresh in this turn; one spreads it for all screens that are open. */
let heard: Set<string> | undefined;
let spreading = false;

/** What was done in one of the lists of visits is seen in the others: nobody meets an own step as somebody else's change. */
export function useVisitsTogether(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (spreading || event.type !== 'updated' || event.action.type !== 'invalidate') return;
        const [kind, name] = event.query.queryKey as readonly string[];
        if (kind !== 'resource' || !VISIT_LISTS.includes(name!)) return;
        if (heard) {
          heard.add(name!);
          return;
        }
        const told = (heard = new Set([name!]));
        queueMicrotask(() => {
          heard = undefined;
          spreading = true;
          for (const other of VISIT_LISTS)
            if (!told.has(other)) void client.invalidateQueries({ queryKey: keysOf.all(other) });
          spreading = false;
        });
      }),
    [client],
  );
}
