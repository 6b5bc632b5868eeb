import type { ResourceSpec } from '../../contract/resource.ts';
import { useHeld } from '../parts/held.ts';
import { ImportButton } from './import-button.tsx';

/** The import of a contract with `importable`, for who holds `btn_import` under one of its menus. */
export function ContractImport({ resource }: { readonly resource: ResourceSpec }) {
  const held = useHeld(resource);
  if (!held('btn_import')) return null;
  const title = resource.noun ?? resource.title;
  const afterwards = resource.importable?.afterwards;
  return (
    <ImportButton
      choice={{
        source: resource.name,
        resource: resource.name,
        title,
        ...(afterwards ? { afterwards } : {}),
      }}
    />
  );
}
