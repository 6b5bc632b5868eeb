import { useEffect, useEffectEvent } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { dunningLevel, receivableDunning } from '../dunning/dunning.contract.ts';
import { SourcedModes } from '../sourced-modes.tsx';
import { receivable } from './receivable.contract.ts';

const Ageing = lazyPart(() =>
  import('../receivable-ageing/receivable-ageing.tsx').then((module) => module.Ageing),
);
const Figures = lazyPart(() =>
  import('../receivable-ageing/receivable-figures.tsx').then((module) => module.Figures),
);
const Statement = lazyPart(() => import('./statement.tsx').then((module) => module.Statement));

/** Opens the form of a receipt for what is owed. */
function Collect({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/lifeService/accountsConfirmEdit/0/receivable?receivable=${row!.id}`);
  });
  useEffect(() => go(), []);
  return null;
}

const slots: ScreenSlots = {
  actionScreens: {
    collect: (props) => <Collect {...props} />,
    statement: (props) => <Statement {...props} />,
  },
};
const added: ScreenSlots = { ...slots, hiddenInputs: ['changeReason'] };

/** Lines, their ageing, dunning and its levels. */
function Parts() {
  const text = useText();
  const view = useView();
  const held = useHeld(receivable);
  const part = view.query.get('part') ?? 'lines';
  const tabs = [
    { key: 'lines', label: text(['应收明细', 'Lines']) },
    { key: 'ageing', label: text(['账龄', 'Ageing']) },
    { key: 'dunning', label: text(receivableDunning.title) },
    ...(held('btn_dunSetting') ? [{ key: 'levels', label: text(dunningLevel.title) }] : []),
  ];
  return (
    <TabList
      label={text(receivable.title)}
      tabs={tabs}
      active={tabs.some((tab) => tab.key === part) ? part : 'lines'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'lines' ? {} : { part: key }))}
    />
  );
}

function Receivables() {
  const view = useView();
  const part = view.query.get('part');
  if (view.params.id !== undefined) return <SourcedModes contract={receivable} slots={slots} added={added} />;
  if (part === 'dunning') return <ScreenOf contract={receivableDunning} slots={{ above: <Parts /> }} />;
  if (part === 'levels') return <ScreenOf contract={dunningLevel} slots={{ above: <Parts /> }} />;
  if (part === 'ageing')
    return (
      <div className="k-screen">
        <PageTitle title={receivable.title} purpose={receivable.purpose} />
        <Parts />
        <Ageing />
      </div>
    );
  const above = (
    <>
      <Parts />
      <Figures />
    </>
  );
  return <SourcedModes contract={receivable} slots={{ ...slots, above }} added={added} />;
}

/** 应收账款, with its edit and detail pages. */
export const screen = { contract: receivable, component: Receivables };
