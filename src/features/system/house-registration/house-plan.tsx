import './house-plan.css';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { TableSkeleton } from '../../../kernel/client/list/list-states.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { houseRegistration, type PlanHouse } from './house-registration.contract.ts';

/** The houses of the chosen building or unit as they lie above each other; a click opens the house in the list. */
export function HousePlan({ tools }: { readonly tools: ReactNode }) {
  const text = useText();
  const view = useView();
  const building = view.query.get('building') ?? '';
  const unit = view.query.get('unit') ?? '';
  const place = unit ? { unit } : { building };
  const chosen = unit !== '' || building !== '';
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(houseRegistration.name), 'plan', place],
    enabled: chosen,
    queryFn: ({ signal }) =>
      call<readonly PlanHouse[]>('GET', '/api/jinmao/web/houseRegistration/plan', {
        query: place,
        signal,
        quiet: true,
      }),
  });
  const open = (house: PlanHouse) => {
    const query = new URLSearchParams(view.query);
    query.delete('as');
    query.set('detail', house.id);
    view.open(`${view.path}?${query}`);
  };
  return (
    <div className="k-screen">
      <PageTitle title={houseRegistration.title} purpose={houseRegistration.purpose}>
        {tools}
      </PageTitle>
      <p className="house-legend">
        <span className="house-mark is-registered" aria-hidden="true" /> {text(['已注册', 'Registered'])}
        <span className="house-mark" aria-hidden="true" /> {text(['未注册', 'Not registered'])}
      </p>
      {!chosen ? (
        <div className="k-state">
          {text(['请在左侧选择楼栋或单元', 'Choose a building or unit on the left'])}
        </div>
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <TableSkeleton />
      ) : data.length === 0 ? (
        <div className="k-state">{text(['此处没有房屋', 'There are no houses here'])}</div>
      ) : (
        <div className="house-plan">
          {grouped(data, (house) => house.unit).map((houses) => (
            <section key={houses[0]!.unit} aria-label={houses[0]!.unitName}>
              <h3>{houses[0]!.unitName}</h3>
              {grouped(houses, (house) => String(house.floor)).map((floor) => (
                <div key={floor[0]!.floor} className="house-floor">
                  <span className="house-floor-name">
                    {text([`${floor[0]!.floor}层`, `Floor ${floor[0]!.floor}`])}
                  </span>
                  {floor.map((house) => (
                    <button
                      key={house.id}
                      type="button"
                      className={house.registered ? 'is-registered' : ''}
                      aria-label={
                        house.registered
                          ? text([
                              `${house.number} 已注册 ${house.members} 人`,
                              `${house.number}: ${house.members} registered`,
                            ])
                          : text([`${house.number} 未注册`, `${house.number}: not registered`])
                      }
                      onClick={() => open(house)}
                    >
                      {house.number}
                    </button>
                  ))}
                </div>
              ))}
            </section>
          ))}
        </div>
      )}
    </div>
  );
}

/** Rows that stand beside each other under one key, in their order. */
function grouped<T>(rows: readonly T[], key: (row: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return [...groups.values()];
}
