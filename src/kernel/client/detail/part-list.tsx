import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { PartSpec, ResourceSpec } from '../../contract/resource.ts';
import { currentLanguage } from '../language.ts';
import { ResourceTable } from '../list/resource-table.tsx';
import type { ScreenSlots } from '../slots.ts';
import { rowTitle } from '../value-text.rules.ts';
import { keysOf, type RowData } from '../wire.ts';

/** Rows that belong to the row of a detail, with their own actions; a new one belongs to it by itself. */
export function PartList({
  part,
  parent,
  row,
  slots,
}: {
  readonly part: PartSpec;
  readonly parent: ResourceSpec;
  readonly row: RowData;
  readonly slots: ScreenSlots | undefined;
}) {
  const client = useQueryClient();
  const { resource, by } = part;
  const [columns] = useState(
    () => part.columns ?? resource.list.columns.filter((name) => name !== by && !isHidden(resource, name)),
  );
  return (
    <ResourceTable
      resource={resource}
      filters={{ [by]: row.id }}
      columns={columns}
      page
      opens
      slots={{
        ...slots,
        createWith: {
          ...slots?.createWith,
          [by]: { id: row.id, title: rowTitle(parent, row, currentLanguage()) },
        },
        hiddenInputs: [...(slots?.hiddenInputs ?? []), by],
      }}
      onDone={() => {
        // Sums and states of the row may follow its parts.
        void client.invalidateQueries({ queryKey: keysOf.all(parent.name) });
      }}
    />
  );
}

function isHidden(resource: ResourceSpec, name: string): boolean {
  return resource.list.hidden?.includes(name) === true;
}
