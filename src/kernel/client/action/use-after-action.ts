import { useQueryClient } from '@tanstack/react-query';
import type { Label } from '../../contract/label.ts';
import type { ActionSpec, ResourceSpec } from '../../contract/resource.ts';
import { message } from '../feedback.ts';
import { useText } from '../language.ts';
import { flashRows } from '../list/flash.ts';
import { keysOf } from '../wire.ts';
import { doneLabel } from './actions.rules.ts';

/** What follows every success: a quiet line, everything shown of the resource is fresh, changed rows flash. */
export function useAfterAction(resource: ResourceSpec) {
  const text = useText();
  const client = useQueryClient();
  return (
    name: string,
    spec: Pick<ActionSpec, 'message'> & { readonly label: Label },
    changed: readonly string[],
    answer?: unknown,
  ) => {
    void message.success(text(doneLabel(spec, answer)), spec.message ? 4 : 2);
    if (name === 'remove')
      for (const id of changed) client.removeQueries({ queryKey: keysOf.row(resource.name, id) });
    void client.invalidateQueries({ queryKey: keysOf.all(resource.name) });
    // What waits for the staff has changed too: the home page shows it anew when it is opened.
    void client.invalidateQueries({ queryKey: keysOf.todos });
    flashRows(resource.name, changed);
  };
}
