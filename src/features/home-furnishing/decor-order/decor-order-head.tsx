import '../../../kernel/client/report/report.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { decorOrder } from './decor-order.contract.ts';
import type { DecorFigures } from './decor-order-wire.ts';

/** Cards above the orders; each opens its orders. */
export function OrderHead() {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: ['resource', decorOrder.name, 'figures'],
    queryFn: ({ signal }) =>
      call<DecorFigures>('GET', `${rootOf(decorOrder)}/figures`, { signal, quiet: true }),
  });
  const cards = [
    { tab: 'signed', label: ['合同额', 'Contract amount'], value: data && moneyText(data.contract) },
    { tab: 'all', label: ['已收', 'Received'], value: data && moneyText(data.received) },
    { tab: 'owed', label: ['欠款', 'Owed'], value: data && moneyText(data.owed) },
    { tab: 'overdue', label: ['逾期', 'Overdue'], value: data && moneyText(data.overdue) },
    { tab: 'late', label: ['节点延误', 'Late nodes'], value: data && String(data.late) },
  ] as const;
  return (
    <div className="k-figures">
      {cards.map(({ tab, label, value }) => (
        <button
          key={tab}
          type="button"
          className="k-figure"
          onClick={() => view.setQuery(new URLSearchParams({ tab }))}
        >
          <span className="k-figure-label">{text(label)}</span>
          <span className="k-figure-value">{value ?? '…'}</span>
        </button>
      ))}
    </div>
  );
}
