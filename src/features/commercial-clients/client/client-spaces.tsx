import '../../../kernel/client/tree/split-screen.css';
import { Button, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { space, type MatchingSpace } from '../space/space.contract.ts';
import { commercialClient } from './client.contract.ts';

/** Spaces that fit what a client wants, best first; each can be held from here. */
export function ClientSpaces({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(commercialClient.name), 'spaces', id],
    queryFn: ({ signal }) =>
      call<{ readonly rows: readonly MatchingSpace[] }>('GET', '/api/jinmao/web/client/spaces', {
        query: { client: id },
        signal,
        quiet: true,
      }),
  });
  const mayHold = useHeld(space)('btn_hold');
  const action = useAction(space, { onDone: () => void refetch() });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  if (data.rows.length === 0)
    return (
      <p className="k-quiet">{text(['没有空闲且相符的铺位', 'No space that fits is free within 90 days'])}</p>
    );
  return (
    <>
      <ul className="plain-rows">
        {data.rows.map((one) => {
          const path = `/yueshang/proAdministration?detail=${one.id}`;
          const name = `${one.project} ${one.building} ${one.number}`;
          return (
            <li key={one.id}>
              <span>
                {view.mayOpen(path) ? (
                  <button type="button" className="k-link" onClick={() => view.open(path)}>
                    {name}
                  </button>
                ) : (
                  name
                )}
              </span>
              <span>{one.area} m²</span>
              <span>{text([`${one.rent} 元/m²·月`, `¥${one.rent} per m² and month`])}</span>
              <span>{text([`${one.freeFrom} 起空闲`, `free from ${one.freeFrom}`])}</span>
              <span>{text([`匹配 ${one.fit}`, `fit ${one.fit}`])}</span>
              {mayHold && (
                <Button
                  size="small"
                  onClick={() =>
                    action.run('hold', {
                      id: one.id,
                      version: one.version,
                      number: one.number,
                    } as unknown as RowData)
                  }
                >
                  {text(space.actions!.hold!.label)}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {action.element}
    </>
  );
}
