import type { Field } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import { staffIdOf } from '../../people/caller.ts';
import type { Binding } from '../binding.ts';
import { filled } from '../field-columns.ts';
import type { ActionContext } from '../run-action.ts';

/** A value only the call knows. */
export interface Given {
  readonly given: 'now' | 'caller' | 'input';
  readonly name: string;
}

/** What an action writes besides its state: values by column. */
export type Sets = Readonly<
  Record<string, string | number | boolean | null | readonly (string | number)[] | Given>
>;

/** The moment of the call, the same in all columns of one action. */
export const NOW: Given = { given: 'now', name: '' };

/** The staff who calls; null where the product acts by itself. */
export const CALLER: Given = { given: 'caller', name: '' };

/** What was typed into an input of the action; left empty, what the column holds when nothing was typed. */
export function fromInput(name: string): Given {
  return { given: 'input', name };
}

/**
 * Actions that only write columns, told beside the binding instead of by code. What an ability does besides (a decision of an
 * approval, the switch of `enabled`) is done first, and what it writes wins.
 */
export function sets(resource: Resource, binding: Binding): Binding {
  if (!binding.sets) return binding;
  const handlers: Record<string, NonNullable<Binding['handlers']>[string]> = { ...binding.handlers };
  for (const [action, columns] of Object.entries(binding.sets)) {
    const spec = resource.actions?.[action];
    // A view offers only some of the actions of its base.
    if (!spec) continue;
    for (const value of Object.values(columns!))
      if (isGiven(value) && value.given === 'input' && !spec.input?.[value.name])
        throw new Error(`${resource.name}: sets of ${action} name ${value.name}, which is no input of it`);
    const own = binding.handlers?.[action];
    handlers[action] = async (context) => {
      const done = (await own?.(context)) ?? {};
      if (Object.keys(columns!).length === 0) return done;
      return {
        ...done,
        set: { ...(await valuesOf(columns!, binding, spec.input ?? {}, context)), ...done.set },
      };
    };
  }
  return { ...binding, handlers };
}

async function valuesOf(
  columns: Sets,
  binding: Binding,
  fields: Readonly<Record<string, Field>>,
  { caller, input, platform }: ActionContext,
): Promise<Record<string, unknown>> {
  const now = new Date();
  const tables = await platform.tables();
  return Object.fromEntries(
    Object.entries(columns).map(([column, value]) => {
      if (!isGiven(value)) return [column, value];
      if (value.given === 'now') return [column, now];
      if (value.given === 'caller') return [column, staffIdOf(caller)];
      const { name } = value;
      return [
        column,
        filled(name, input[name] ?? null, fields[name], tables.isNotNull(binding.table, column)),
      ];
    }),
  );
}

function isGiven(value: Sets[string]): value is Given {
  return typeof value === 'object' && value !== null && 'given' in value;
}
