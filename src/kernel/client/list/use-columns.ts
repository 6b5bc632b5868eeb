import { useState } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { usePreference } from '../preference.ts';
import { defaultColumns, mergeColumns, sameColumns, type ColumnChoice } from './columns.rules.ts';

/** Row height of tables: 44 or 36 px. */
export type Density = 'comfortable' | 'compact';

interface KeptTable {
  readonly columns?: readonly ColumnChoice[];
}

/** The staff's arrangement of a table, kept under `table.{menu}` and `density`. */
export interface ColumnStore {
  readonly columns: readonly ColumnChoice[];
  /** Columns of the kept or viewed arrangement the staff may not see. */
  readonly skipped: number;
  readonly density: Density;
  readonly setColumns: (columns: readonly ColumnChoice[]) => void;
  /** Shows the arrangement of a saved view without keeping it; undefined goes back to the staff's own. */
  readonly showColumns: (columns: readonly ColumnChoice[] | undefined) => void;
  readonly resetColumns: () => void;
  readonly setDensity: (density: Density) => void;
}

/** Reads and keeps column choice and density. */
export function useColumns(resource: ResourceSpec, menu: string): ColumnStore {
  const [kept, keep] = usePreference<KeptTable>(`table.${menu}`);
  const [density, keepDensity] = usePreference<Density>('density');
  const [viewed, setViewed] = useState<readonly ColumnChoice[]>();
  const merged = mergeColumns(resource, viewed ?? kept?.columns);
  return {
    ...merged,
    density: density === 'compact' ? 'compact' : 'comfortable',
    setColumns: (columns) => {
      if (viewed) setViewed(columns);
      else keep({ columns: sameColumns(columns, defaultColumns(resource)) ? [] : columns });
    },
    showColumns: setViewed,
    resetColumns: () => {
      setViewed(undefined);
      keep({ columns: [] });
    },
    setDensity: keepDensity,
  };
}
