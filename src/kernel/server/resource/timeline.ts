import type { Field } from '../../contract/fields.ts';
import { textOf } from '../../contract/label.ts';
import type { Resource } from '../../contract/resource.ts';
import { isoInstant } from '../../contract/time.rules.ts';
import type { FieldChange } from '../audit/audit.ts';
import { run } from '../database.ts';
import type { Call } from '../registration.ts';
import type { Binding } from './binding.ts';
import { exportText } from './export-rows.ts';
import { snakeCase } from './list-query.ts';
import { optionTitles } from './option-titles.ts';

/** The newest 200 entries of a row's timeline in words, as the caller may read them. */
export async function timelineOf(
  resource: Resource,
  binding: Binding,
  call: Call,
  id: number,
): Promise<unknown> {
  const rows = await run<{
    id: number;
    at: Date;
    who: string;
    action: string;
    label_zh: string;
    label_en: string;
    from_state: string | null;
    to_state: string | null;
    remark: string;
    changes: FieldChange[] | null;
  }>(
    call.platform.database.db,
    'SELECT id, at, who, action, label_zh, label_en, from_state, to_state, remark, changes FROM entity_event WHERE entity = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 200',
    [binding.entity ?? resource.name, id],
  );
  const zh = call.facts.language === 'zh';
  const { readChange } = binding;
  const changesOf = (row: (typeof rows)[number]): readonly FieldChange[] =>
    (row.changes ?? []).flatMap((change) => (readChange ? (readChange(change, call.caller) ?? []) : change));
  const titles = await refTitles(resource, binding, call, rows.flatMap(changesOf));
  const stateText = (state: string | null) => {
    const label = state ? resource.states?.[state]?.label : undefined;
    return label ? textOf(label, call.facts.language) : state;
  };
  return rows.map((row) => ({
    id: String(row.id),
    at: isoInstant(row.at),
    who: row.who,
    action: row.action,
    label: zh ? row.label_zh : row.label_en,
    from: stateText(row.from_state),
    to: stateText(row.to_state),
    remark: row.remark,
    changes: changesOf(row).flatMap(
      (change) => presentChange(resource, binding, change, call.facts.language, titles) ?? [],
    ),
  }));
}

/** A change in words; a column that belongs to no field is not shown, as nothing says whether it must be masked. */
function presentChange(
  resource: Resource,
  binding: Binding,
  change: { field: string; before: unknown; after: unknown },
  language: 'zh' | 'en',
  titles: RefTitles,
) {
  const field = fieldOfChange(resource, binding, change.field);
  if (!field) return undefined;
  const show = (value: unknown): string => {
    if (value === null || value === undefined) return '–';
    if (typeof value === 'number' && isRef(field))
      return titles.get(`${field.target}:${value}`) ?? `#${value}`;
    return exportText(field, value, language);
  };
  return { field: textOf(field.label, language), before: show(change.before), after: show(change.after) };
}

/** Readable names by `<target>:<id>`. */
type RefTitles = ReadonlyMap<string, string>;

function isRef(field: Field): boolean {
  return field.kind === 'ref' || field.kind === 'treeRef';
}

/** The field a written column belongs to, or undefined where it belongs to none. */
export function fieldOfChange(resource: Resource, binding: Binding, column: string): Field | undefined {
  const name = Object.keys(resource.fields).find(
    (one) =>
      binding.writes?.[one] === column ||
      one === column ||
      snakeCase(one) === column ||
      `${snakeCase(one)}_id` === column,
  );
  return name ? resource.fields[name] : undefined;
}

/** Names of the rows that changes point to, as far as the caller may see them; a timeline of bare ids tells nobody anything. */
async function refTitles(
  resource: Resource,
  binding: Binding,
  call: Call,
  changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[],
): Promise<RefTitles> {
  const wanted = new Map<string, Set<number>>();
  for (const change of changes) {
    const field = fieldOfChange(resource, binding, change.field);
    if (!field?.target || !isRef(field)) continue;
    const ids = wanted.get(field.target) ?? new Set();
    for (const value of [change.before, change.after]) if (typeof value === 'number') ids.add(value);
    wanted.set(field.target, ids);
  }
  const titles = new Map<string, string>();
  for (const [target, ids] of wanted)
    for (const [id, title] of await optionTitles(call, target, ids)) titles.set(`${target}:${id}`, title);
  return titles;
}
