import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { FigureStrip } from '../../../kernel/client/report/figure-strip.tsx';
import type { OrderFigures } from './package-order-wire.ts';
import { packageOrder } from './package-order.contract.ts';

/** Package orders as a whole; what is counted opens its orders. */
export function Figures() {
  const view = useView();
  const { data } = useQuery({
    queryKey: ['resource', packageOrder.name, 'figures'],
    queryFn: ({ signal }) =>
      call<OrderFigures>('GET', `${rootOf(packageOrder)}/figures`, { signal, quiet: true }),
  });
  const show = (tab: string) => () => view.setQuery(new URLSearchParams({ tab }));
  return (
    <FigureStrip
      figures={[
        { label: ['服务中', 'In service'], value: data && String(data.service), open: show('service') },
        { label: ['待首付', 'First payment'], value: data && String(data.pending), open: show('pending') },
        { label: ['有逾期', 'Overdue'], value: data && String(data.late), open: show('late') },
        {
          label: ['本月核销', 'Used this month'],
          value: data && String(data.used),
          formula: ['本月使用的次数，不含已撤销', 'Uses of this month, without those undone'],
        },
        {
          label: ['续订率', 'Renewed'],
          value: data && (data.ended === 0 ? '—' : `${((100 * data.renewed) / data.ended).toFixed(1)}%`),
          formula: ['一年内到期的订单中已续订的 ÷ 到期的', 'Renewed ÷ orders whose term ended within a year'],
        },
      ]}
    />
  );
}
