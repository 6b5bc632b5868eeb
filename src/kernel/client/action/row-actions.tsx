import { useRef, useState } from 'react';
import { Dropdown } from 'antd';
import { DownOutlined } from '@ant-design/icons';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import type { RowData } from '../wire.ts';
import { rowActions, splitRowActions, type NamedAction } from './actions.rules.ts';

type Run = (name: string, row: RowData) => void;

/** The actions of a row as text links, at most three; the rest and the dangerous ones under 更多. */
export function RowActions({
  resource,
  row,
  run,
}: {
  readonly resource: ResourceSpec;
  readonly row: RowData;
  readonly run: Run;
}) {
  const text = useText();
  const { links, rest } = splitRowActions(rowActions(resource, row));
  return (
    <span className="k-links">
      {links.map(({ name, spec }) => (
        <button
          key={name}
          type="button"
          className={`k-link${spec.tone === 'danger' ? ' k-danger' : ''}`}
          onClick={() => run(name, row)}
        >
          {text(spec.label)}
        </button>
      ))}
      {rest.length > 0 && <MoreActions actions={rest} onRun={(name) => run(name, row)} />}
    </span>
  );
}

/** The menu behind 更多. It exists only while open: a list holds twenty of them. */
function MoreActions({
  actions,
  onRun,
}: {
  readonly actions: readonly NamedAction[];
  readonly onRun: (name: string) => void;
}) {
  const text = useText();
  const button = useRef<HTMLButtonElement>(null);
  const closedAt = useRef(0);
  const [open, setOpen] = useState(false);
  const close = () => {
    closedAt.current = Date.now();
    setOpen(false);
  };
  return (
    <span className="k-more-actions">
      <button
        ref={button}
        type="button"
        className="k-link"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          // Pressing the mouse on the button has just closed the menu as a click beside it.
          if (Date.now() - closedAt.current > 250) setOpen(!open);
        }}
      >
        {text(words.moreActions)}
        <DownOutlined aria-hidden className="k-caret" />
      </button>
      {open && (
        <Dropdown
          open
          autoFocus
          trigger={['click']}
          onOpenChange={(next) => {
            if (next) return;
            close();
            button.current?.focus();
          }}
          menu={{
            items: actions.map(({ name, spec }) => ({
              key: name,
              label: text(spec.label),
              danger: spec.tone === 'danger',
            })),
            onClick: ({ key }) => {
              close();
              button.current?.focus();
              onRun(key);
            },
          }}
        >
          <span className="k-anchor" aria-hidden="true" />
        </Dropdown>
      )}
    </span>
  );
}
