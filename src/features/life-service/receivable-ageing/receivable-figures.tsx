import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import { FigureStrip } from '../../../kernel/client/report/figure-strip.tsx';
import type { ReceivableFigures } from './receivable-ageing.ts';

/** What is owed as a whole; the amounts open their lines. */
export function Figures() {
  const view = useView();
  const figures = useQuery({
    queryKey: ['resource', 'receivable', 'figures'],
    queryFn: ({ signal }) =>
      call<ReceivableFigures>('GET', '/api/jinmao/web/receivableAgeing/figures', { signal, quiet: true }),
  });
  const { data } = figures;
  const show = (tab: string) => () => view.setQuery(new URLSearchParams({ tab }));
  const money = (value: string | undefined) => data && moneyText(value);
  const percent = (value: string | null | undefined) =>
    data && (value === null || value === undefined ? '—' : `${value}%`);
  return (
    <FigureStrip
      figures={[
        { label: ['应收余额', 'Balance'], value: money(data?.balance), open: show('owed') },
        { label: ['逾期余额', 'Overdue'], value: money(data?.overdue), open: show('late') },
        {
          label: ['逾期率', 'Overdue share'],
          value: percent(data?.overdueRate),
          formula: ['逾期余额 ÷ 应收余额', 'Overdue ÷ balance'],
        },
        { label: ['本月到期', 'Due this month'], value: money(data?.dueThisMonth) },
        { label: ['本月已收', 'Received this month'], value: money(data?.receivedThisMonth) },
        {
          label: ['回款率', 'Collected'],
          value: percent(data?.collectionRate),
          formula: ['本月到期应收的已收 ÷ 其本金', 'Received on lines due this month ÷ their principal'],
        },
        {
          label: ['周转天数 DSO', 'DSO'],
          value: data && (data.dso ?? '—'),
          formula: ['余额 ÷ 近 90 天入账本金 × 90', 'Balance ÷ principal posted in 90 days × 90'],
        },
      ]}
    />
  );
}
