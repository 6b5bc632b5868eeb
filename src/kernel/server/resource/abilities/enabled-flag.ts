import type { Label } from '../../../contract/label.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Binding, DbRow } from '../binding.ts';

/** A field `enabled` with the actions enable and disable: what they write, and why they are not offered twice. */
export function enabledFlag(resource: Resource, binding: Binding): Binding {
  if (resource.fields.enabled?.kind !== 'boolean') return binding;
  const noun = resource.noun ?? resource.title;
  const is: Label = [`${noun[0]}已启用`, `The ${noun[1].toLowerCase()} is enabled`];
  const isNot: Label = [`${noun[0]}已停用`, `The ${noun[1].toLowerCase()} is disabled`];
  const added: Binding = {
    ...binding,
    handlers: { ...binding.handlers },
    rowRules: { ...binding.rowRules },
  };
  const { handlers, rowRules } = added as {
    handlers: Record<string, NonNullable<Binding['handlers']>[string]>;
    rowRules: Record<string, NonNullable<Binding['rowRules']>[string]>;
  };
  for (const [name, value, refusal] of [
    ['enable', true, is],
    ['disable', false, isNot],
  ] as const) {
    if (!resource.actions?.[name]) continue;
    const own = binding.handlers?.[name];
    handlers[name] = async (context) => {
      const done = (await own?.(context)) ?? {};
      return { ...done, set: { enabled: value, ...done.set } };
    };
    const rule = binding.rowRules?.[name];
    rowRules[name] = (row: DbRow, caller) => (row.enabled === value ? refusal : rule?.(row, caller));
  }
  return { ...added, ...withReads(binding, ['enabled']) };
}

/** The names row rules read, where the binding names them or had no rules before. */
export function withReads(
  binding: Binding,
  names: readonly string[],
): Pick<Binding, 'ruleReads'> | Record<string, never> {
  return binding.ruleReads || !binding.rowRules
    ? { ruleReads: [...new Set([...(binding.ruleReads ?? []), ...names])] }
    : {};
}
