import '../../../kernel/client/report/report.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ReceivableFigures } from './receivable-ageing.ts';

/** What is owed as a whole; the amounts open their lines. */
export function Figures() {
  const text = useText();
  const view = useView();
  const figures = useQuery({
    queryKey: ['resource', 'receivable', 'figures'],
    queryFn: ({ signal }) =>
      call<ReceivableFigures>('GET', '/api/jinmao/web/receivableAgeing/figures', { signal, quiet: true }),
  });
  const { data } = figures;
  const show = (tab: string) => () => view.setQuery(new URLSearchParams({ tab }));
  const percent = (value: string | null | undefined) =>
    value === null || value === undefined ? '—' : `${value}%`;
  const parts: readonly { label: Label; value: string; open?: () => void; title?: Label }[] = [
    { label: ['应收余额', 'Balance'], value: moneyText(data?.balance), open: show('owed') },
    { label: ['逾期余额', 'Overdue'], value: moneyText(data?.overdue), open: show('late') },
    {
      label: ['逾期率', 'Overdue share'],
      value: percent(data?.overdueRate),
      title: ['逾期余额 ÷ 应收余额', 'Overdue ÷ balance'],
    },
    { label: ['本月到期', 'Due this month'], value: moneyText(data?.dueThisMonth) },
    { label: ['本月已收', 'Received this month'], value: moneyText(data?.receivedThisMonth) },
    {
      label: ['回款率', 'Collected'],
      value: percent(data?.collectionRate),
      title: ['本月到期应收的已收 ÷ 其本金', 'Received on lines due this month ÷ their principal'],
    },
    {
      label: ['周转天数 DSO', 'DSO'],
      value: data?.dso ?? '—',
      title: ['余额 ÷ 近 90 天入账本金 × 90', 'Balance ÷ principal posted in 90 days × 90'],
    },
  ];
  return (
    <div className="k-figures">
      {parts.map((part) => {
        const body = (
          <>
            <span className="k-figure-label">{text(part.label)}</span>
            <span className="k-figure-value">{data ? part.value : '…'}</span>
          </>
        );
        return part.open ? (
          <button key={part.label[1]} type="button" className="k-figure" onClick={part.open}>
            {body}
          </button>
        ) : (
          <div key={part.label[1]} className="k-figure" {...(part.title && { title: text(part.title) })}>
            {body}
          </div>
        );
      })}
    </div>
  );
}
