import { useEffect, useEffectEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useChildren } from '../../../kernel/client/tree/use-tree.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { useDictionaryChange } from '../../../domain/dictionary/use-dictionary.tsx';
import { bizDict } from './biz-dict.contract.ts';

/** Business dictionaries: the tree at the left, the values of what is chosen there at the right. */
function BizDictScreen() {
  const view = useView();
  // Opened without a choice, the page shows the values of the first dictionary.
  const isBare = view.query.size === 0;
  const roots = useChildren(bizDict, null, isBare);
  const first = roots.data?.rows[0]?.id;
  const start = useEffectEvent(() => {
    if (isBare && first) view.setQuery(new URLSearchParams({ parent: first }));
  });
  useEffect(() => {
    start();
  }, [first]);
  const client = useQueryClient();
  useDictionaryChange(() => void client.invalidateQueries({ queryKey: keysOf.all(bizDict.name) }));
  return <ScreenOf contract={bizDict} />;
}

/** 业务字典. */
export const screen = { contract: bizDict, component: BizDictScreen };
