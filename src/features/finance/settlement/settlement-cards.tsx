import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { settlement } from './settlement.contract.ts';
import './settlement.css';

const HERE = '/financialManage/fm_financialSettlement';
const DESK = '/financialManage/fm_financialReconciliation';

/** Figures in the order money takes, with the rows behind each. */
const ELIGIBLE = 'eligible';
const CARDS: readonly { readonly key: string; readonly label: Label; readonly to: string }[] = [
  {
    key: ELIGIBLE,
    label: ['可结算未出单', 'To be settled'],
    to: '/financialManage/fm_InitiateSettlement',
  },
  { key: 'toConfirm', label: ['待确认', 'To confirm'], to: `${DESK}?as=confirmations&state=to_confirm` },
  { key: 'disputed', label: ['有异议', 'Disputed'], to: `${DESK}?as=confirmations&state=disputed` },
  { key: 'toPay', label: ['待付款', 'To pay'], to: `${HERE}?tab=toPay` },
  { key: 'paying', label: ['付款中', 'Paying'], to: `${HERE}?tab=paying` },
  { key: 'failed', label: ['付款失败', 'Failed'], to: `${HERE}?tab=failed` },
  { key: 'owedBack', label: ['追回未清', 'Owed back'], to: `${HERE}?tab=owedBack` },
  { key: 'held', label: ['挂账', 'Suspense'], to: `${DESK}?as=rows&tab=held` },
];

interface Figure {
  readonly amount: string;
  readonly count: number;
}

/** What stands where; a click opens the rows, where the staff may see them. */
export function SettlementCards() {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: [...keysOf.all(settlement.name), 'figures'],
    queryFn: ({ signal }) =>
      call<Readonly<Record<string, Figure>>>('GET', `${rootOf(settlement)}/figures`, { signal, quiet: true }),
  });
  // It judges every open sale: the other cards do not wait for it.
  const eligible = useQuery({
    queryKey: [...keysOf.all(settlement.name), ELIGIBLE],
    staleTime: 60_000,
    queryFn: ({ signal }) => call<Figure>('GET', `${rootOf(settlement)}/eligible`, { signal, quiet: true }),
  });
  const figureOf = (key: string) => (key === ELIGIBLE ? eligible.data : data?.[key]);
  const shown = CARDS.filter((card) => (card.key === ELIGIBLE ? !eligible.isError : !data || data[card.key]));
  return (
    <div className="fs-cards" role="group" aria-label={text(['金额总览', 'Figures'])}>
      {shown.map((card) => {
        const figure = figureOf(card.key);
        const facts = (
          <>
            <span>
              {text(card.label)}
              {figure ? ` ${figure.count}` : ''}
            </span>
            <MoneyText strong value={figure?.amount ?? null} />
          </>
        );
        return view.mayOpen(card.to.split('?')[0]!) ? (
          <button
            key={card.key}
            type="button"
            onClick={() =>
              card.to.startsWith(HERE)
                ? view.setQuery(new URLSearchParams(card.to.split('?')[1]))
                : view.open(card.to)
            }
          >
            {facts}
          </button>
        ) : (
          <div key={card.key}>{facts}</div>
        );
      })}
    </div>
  );
}
