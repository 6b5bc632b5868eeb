import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { ResourceSpec } from '../../contract/resource.ts';
import { OWN_ACTIONS, type NamedAction } from '../action/actions.rules.ts';
import { call, newIdempotencyKey } from '../api-client.ts';
import { message } from '../feedback.ts';
import { dropIndex, moved } from '../parts/moved.rules.ts';
import { useText } from '../language.ts';
import { treeWords, words } from '../texts.ts';
import { keysOf, rootOf, type PageAnswer, type RowData } from '../wire.ts';
import { flashRows } from './flash.ts';
import { wireQuery } from './list-state.rules.ts';
import type { ListStore } from './list-store.ts';
import { showsOwnOrder } from './row-order.rules.ts';
import type { ListData } from './use-list-data.ts';

/** How rows of a list are put in order by hand. */
export interface RowOrder {
  /** Puts a row at the place of another one, in front of it or behind it. */
  readonly drop: (id: string, at: string, after: boolean) => void;
  /** One place up or down. */
  readonly step: (id: string, step: -1 | 1) => void;
  /** Up and down as row actions. */
  readonly actions: readonly NamedAction[];
}

const row = (name: string, label: readonly [string, string]): NamedAction => ({
  name,
  spec: { label, on: 'row', element: '' },
  inMenu: true,
  needs: 'order',
});
const ACTIONS: readonly NamedAction[] = [
  row(OWN_ACTIONS.up, words.moveUp),
  row(OWN_ACTIONS.down, words.moveDown),
];

/**
 * The order of a list's rows where it can be changed, else undefined. A row stands at its new place at once; the server is
 * told behind that, one change after the other, and what it refuses goes back.
 */
export function useRowOrder(resource: ResourceSpec, store: ListStore, data: ListData): RowOrder | undefined {
  const text = useText();
  const client = useQueryClient();
  const [queue] = useState(() => ({ last: Promise.resolve(), waiting: 0 }));
  const busy = useRef(queue);
  if (!showsOwnOrder(resource, store.state)) return undefined;
  const query = wireQuery(resource, store.state);
  const key = keysOf.page(resource.name, query);
  const { page, limit } = store.state;
  const pages = data.capped ? Infinity : Math.ceil(data.total / limit);

  /** The row behind the last one of the page; null: none. */
  const nextPage = async (): Promise<string | null> => {
    if (page >= pages) return null;
    const answer = await call<PageAnswer>('GET', `${rootOf(resource)}/page`, {
      query: { ...query, page: page + 1 },
    });
    return answer.rows[0]?.id ?? null;
  };
  const put = (id: string, to: number) => {
    const shown = client.getQueryData<PageAnswer>(key);
    const from = shown?.rows.findIndex((one) => one.id === id) ?? -1;
    if (!shown || from < 0 || to === from) return;
    if (to < 0 || to >= shown.rows.length)
      return void message.warning(text(to < 0 ? treeWords.isFirst : treeWords.isLast), 3);
    void client.cancelQueries({ queryKey: key });
    const rows = moved<RowData>(shown.rows, from, to);
    client.setQueryData<PageAnswer>(key, { ...shown, rows });
    const following = rows[to + 1]?.id;
    const line = busy.current;
    line.waiting += 1;
    line.last = line.last.then(async () => {
      try {
        const before = following ?? (await nextPage());
        await call('POST', `${rootOf(resource)}/order`, {
          body: { id, before },
          idempotencyKey: newIdempotencyKey(),
        });
        flashRows(resource.name, [id]);
      } catch {
        // The frame has shown why.
        client.setQueryData<PageAnswer>(key, shown);
      }
      line.waiting -= 1;
      // Between two changes an answer would bring the order before the second one back.
      if (line.waiting === 0) await client.invalidateQueries({ queryKey: keysOf.all(resource.name) });
    });
  };
  const indexOf = (id: string) =>
    client.getQueryData<PageAnswer>(key)?.rows.findIndex((one) => one.id === id) ?? -1;
  return {
    drop: (id, at, after) => {
      put(id, dropIndex(indexOf(id), indexOf(at), after ? 'after' : 'before'));
    },
    step: (id, step) => put(id, indexOf(id) + step),
    actions: ACTIONS,
  };
}
