import { Button } from 'antd';
import { exportElementOf, type ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import { useHeld } from '../parts/held.ts';
import { Icon } from '../parts/icon.tsx';
import { useExport } from '../parts/use-export.ts';
import { words } from '../texts.ts';
import { rootOf } from '../wire.ts';
import { wireQuery, type ListState } from './list-state.rules.ts';

/** 导出 of what a list shows, for who may; nothing where the resource has no export. */
export function ExportButton({
  resource,
  state,
  small = false,
}: {
  readonly resource: ResourceSpec;
  readonly state: ListState;
  /** As a button among the actions of a child list. */
  readonly small?: boolean;
}) {
  const text = useText();
  const held = useHeld(resource);
  const exporting = useExport(`${rootOf(resource)}/export`);
  if (!resource.list.export || !held(exportElementOf(resource))) return null;
  return (
    <Button
      {...(small ? { size: 'small' as const } : { type: 'text' as const, icon: <Icon name="download" /> })}
      loading={exporting.busy}
      disabled={exporting.locked}
      onClick={() => {
        const { page: _page, limit: _limit, ...query } = wireQuery(resource, state);
        exporting.start({ query });
      }}
    >
      {text(words.export)}
    </Button>
  );
}
