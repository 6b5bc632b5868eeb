import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { contractPayment } from './contract.contract.ts';
import './contract.css';

const FILTERS = ['searchVal', ...contractPayment.list.filters!].filter((name) => name !== 'state');
const STATES = Object.entries(contractPayment.states!).filter(([state]) => state !== 'void');

/** What the lines that are listed come to by state, with what is left of them; a click lists those of one state. */
export function StateSums() {
  const text = useText();
  const view = useView();
  const asked = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = view.query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
  const { data } = useQuery({
    queryKey: [...keysOf.all(contractPayment.name), 'states', asked],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      Promise.all(
        STATES.map(([state]) =>
          call<Record<string, string>>('GET', `${rootOf(contractPayment)}/sums`, {
            query: { ...asked, state },
            signal,
            quiet: true,
          }),
        ),
      ),
  });
  const chosen = view.query.get('state');
  const show = (state: string) => {
    const query = new URLSearchParams(view.query);
    query.delete('page');
    if (chosen === state) query.delete('state');
    else query.set('state', state);
    view.setQuery(query);
  };
  return (
    <div className="contract-states" role="group" aria-label={text(['各状态合计', 'Totals by state'])}>
      {STATES.map(([state, choice], index) => (
        <button key={state} type="button" aria-pressed={chosen === state} onClick={() => show(state)}>
          <StatusTag choice={choice} />
          <MoneyText strong value={data?.[index]?.amount ?? null} />
          <span className="k-quiet">
            {text(['余额', 'Balance'])} <MoneyText value={data?.[index]?.balance ?? null} />
          </span>
        </button>
      ))}
    </div>
  );
}
