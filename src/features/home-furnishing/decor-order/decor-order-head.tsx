import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { FigureStrip } from '../../../kernel/client/report/figure-strip.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { decorOrder } from './decor-order.contract.ts';
import type { DecorFigures } from './decor-order-wire.ts';

/** Cards above the orders; each opens its orders. */
export function OrderHead() {
  const view = useView();
  const { data } = useQuery({
    queryKey: ['resource', decorOrder.name, 'figures'],
    queryFn: ({ signal }) =>
      call<DecorFigures>('GET', `${rootOf(decorOrder)}/figures`, { signal, quiet: true }),
  });
  const show = (tab: string) => () => view.setQuery(new URLSearchParams({ tab }));
  return (
    <FigureStrip
      figures={[
        {
          label: ['合同额', 'Contract amount'],
          value: data && moneyText(data.contract),
          open: show('signed'),
        },
        { label: ['已收', 'Received'], value: data && moneyText(data.received), open: show('all') },
        { label: ['欠款', 'Owed'], value: data && moneyText(data.owed), open: show('owed') },
        { label: ['逾期', 'Overdue'], value: data && moneyText(data.overdue), open: show('overdue') },
        { label: ['节点延误', 'Late nodes'], value: data && String(data.late), open: show('late') },
      ]}
    />
  );
}
