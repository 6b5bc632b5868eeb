import { useState } from 'react';
import { Dropdown } from 'antd';
import { DownOutlined } from '@ant-design/icons';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import type { RowData } from '../wire.ts';
import { rowActions, splitRowActions, type NamedAction } from './actions.rules.ts';

type Run = (name: string, row: RowData) => void;

/** The actions of a row as text links, at most three; the rest and the dangerous ones under 更多. */
export function RowActions({ resource, row, run }: { readonly resource: ResourceSpec; readonly row: RowData; readonly run: Run }) {
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

/** The menu behind 更多. It is built on first use: a list holds twenty of them. */
function MoreActions({ actions, onRun }: { readonly actions: readonly NamedAction[]; readonly onRun: (name: string) => void }) {
  const text = useText();
  const [armed, setArmed] = useState(false);
  const [open, setOpen] = useState(false);
  const button = (
    <button
      type="button"
      className="k-link"
      aria-haspopup="menu"
      aria-expanded={open}
      onPointerEnter={() => setArmed(true)}
      onFocus={() => setArmed(true)}
      onClick={() => {
        setArmed(true);
        setOpen(!open);
      }}
    >
      {text(words.moreActions)}
      <DownOutlined aria-hidden className="k-caret" />
    </button>
  );
  if (!armed) return button;
  return (
    <Dropdown
      open={open}
      onOpenChange={setOpen}
      trigger={['click']}
      autoFocus
      menu={{
        items: actions.map(({ name, spec }) => ({
          key: name,
          label: text(spec.label),
          danger: spec.tone === 'danger',
        })),
        onClick: ({ key }) => {
          setOpen(false);
          onRun(key);
        },
      }}
    >
      {button}
    </Dropdown>
  );
}
