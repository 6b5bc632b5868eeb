import { Fragment, useId, useState } from 'react';
import { Button, Skeleton } from 'antd';
import type { ResourceSpec } from '../../contract/resource.ts';
import { MoreActions } from '../action/more-actions.tsx';
import { rowActions, splitRowActions } from '../action/actions.rules.ts';
import type { ActionRunner } from '../action/use-action.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { StatusTag } from '../parts/status-tag.tsx';
import { TabList } from '../parts/tab-list.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import type { DetailPart, ScreenSlots } from '../slots.ts';
import { words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import { DetailFacts } from './detail-facts.tsx';
import { Timeline } from './timeline.tsx';

const PartList = lazyPart(
  () => import('./part-list.tsx').then((module) => module.PartList),
  <Skeleton active paragraph={{ rows: 6 }} />,
);

/** Number or name of a row with its state and a copy button. */
export function DetailTitle({ resource, row }: { readonly resource: ResourceSpec; readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  const title = rowTitle(resource, row, language);
  const state = resource.states?.[String(row.state)];
  return (
    <span className="k-detail-title">
      <span className="k-detail-name">{title}</span>
      <CopyButton value={title} />
      {state && <StatusTag choice={state} />}
    </span>
  );
}

/** The actions allowed on a row as buttons: the primary one last, rest and dangerous ones under 更多. */
export function DetailActions({
  resource,
  row,
  action,
}: {
  readonly resource: ResourceSpec;
  readonly row: RowData;
  readonly action: ActionRunner;
}) {
  const text = useText();
  const { links, rest } = splitRowActions(rowActions(resource, row, action.extra));
  const primary = links.find(({ spec }) => spec.tone === 'primary');
  const ordered = primary ? [...links.filter((one) => one !== primary), primary] : links;
  return (
    <>
      <MoreActions className="k-button" actions={rest} run={(name) => action.run(name, row)} />
      {ordered.map(({ name, spec }) => (
        <Button
          key={name}
          type={spec.tone === 'primary' ? 'primary' : 'default'}
          danger={spec.tone === 'danger'}
          onClick={() => action.run(name, row)}
        >
          {text(spec.label)}
        </Button>
      ))}
    </>
  );
}

const FACTS = '$facts';
const TIMELINE = '$timeline';

/**
 * Facts and parts of a row; the timeline stands at the right of wide windows and is a tab elsewhere. While the row is
 * on its way the same shape stands there with grey values, so that nothing jumps when it comes.
 */
export function DetailBody(props: {
  readonly resource: ResourceSpec;
  /** Undefined while it is fetched. */
  readonly row: RowData | undefined;
  readonly slots: ScreenSlots;
  readonly wide: boolean;
}) {
  const { resource, row, slots, wide } = props;
  const text = useText();
  const panel = useId();
  const [active, setActive] = useState(FACTS);
  const declared = (resource.detail?.parts ?? []).map((one): DetailPart => ({
    key: one.key,
    label: one.title,
    render: (shownRow) => (
      <PartList part={one} parent={resource} row={shownRow} slots={slots.parts?.[one.key]} />
    ),
  }));
  const parts = [...declared, ...(slots.detailParts ?? [])];
  const tabs = [
    { key: FACTS, label: text(words.details) },
    ...parts.map((part) => ({ key: part.key, label: text(part.label) })),
    ...(wide ? [] : [{ key: TIMELINE, label: text(words.timeline) }]),
  ];
  const shown = tabs.some((tab) => tab.key === active) ? active : FACTS;
  const part = parts.find((one) => one.key === shown);
  const timeline = row ? (
    <Timeline resource={resource} id={row.id} />
  ) : (
    <Skeleton active paragraph={{ rows: 4 }} title={false} />
  );
  return (
    <div className={wide ? 'k-detail k-detail-wide' : 'k-detail'} aria-busy={row === undefined}>
      <div className="k-detail-main">
        {tabs.length > 1 && (
          <TabList
            tabs={tabs}
            active={shown}
            onChange={setActive}
            label={text(words.details)}
            panel={panel}
          />
        )}
        <div id={panel} role={tabs.length > 1 ? 'tabpanel' : undefined} className="k-detail-panel">
          {shown === FACTS && (
            <>
              {row && slots.detailAbove?.(row)}
              <DetailFacts resource={resource} row={row} cells={slots.cells} />
            </>
          )}
          {part &&
            (row ? (
              <Fragment key={part.key}>{part.render(row)}</Fragment>
            ) : (
              <Skeleton active paragraph={{ rows: 6 }} />
            ))}
          {shown === TIMELINE && timeline}
        </div>
      </div>
      {wide && (
        <aside className="k-detail-side" aria-label={text(words.timeline)}>
          <h3>{text(words.timeline)}</h3>
          {timeline}
        </aside>
      )}
    </div>
  );
}
