import { z } from 'zod';
import { checkInput } from '../../contract/input.ts';
import { elementCode } from '../../contract/resource.ts';
import type { Field } from '../../contract/fields.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Label, Language } from '../../contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../contract/money.rules.ts';
import { textOf } from '../../contract/label.ts';
import { isoInstant } from '../../contract/time.rules.ts';
import { differences, writeAudit } from '../audit/audit.ts';
import type { Caller } from '../people/caller.ts';
import { exportText } from '../resource/export-rows.ts';
import { run, runOne, transaction, type Tx } from '../database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../http/errors.ts';
import { optionTitles } from '../resource/option-titles.ts';
import { STALE } from '../resource/run-action.ts';
import { endpoint, type Call, type Endpoint, type Registration, type SettingGuard } from '../registration.ts';

/** Who reads or saves. */
type Asked = Pick<Call, 'caller' | 'platform' | 'facts'>;

/** Why settings were changed. */
const REASON = z.string().trim().min(2).max(200);
/** Where an audit record keeps it: no field is called so. */
const REASON_KEY = '#reason';

/** What a settings screen checks and does beyond its fields. */
export interface SettingsBinding {
  /**
   * What is stored of the values that were sent: where the caller is shown a part of a value only, with the rest of what is
   * `stored`. Comes before every check.
   */
  readonly complete?: (
    values: Readonly<Record<string, unknown>>,
    stored: Readonly<Record<string, unknown>>,
    caller: Caller,
  ) => Readonly<Record<string, unknown>>;
  /**
   * Rules over all values together; messages by field. Values as stored (money in fen), `stored` as they were before. That
   * references name rows of their pickers is checked already.
   */
  readonly check?: (
    values: Readonly<Record<string, unknown>>,
    tx: Tx,
    call: Asked,
    stored: Readonly<Record<string, unknown>>,
  ) => Record<string, Label> | Promise<Record<string, Label>>;
  /** What the page and the history read instead of stored values; titles of references are there without it. */
  readonly present?: (
    values: Readonly<Record<string, unknown>>,
    call: Asked,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Words of a presented value in the history, where the field's kind has none (json). */
  readonly wording?: (name: string, value: unknown, language: Language) => string | undefined;
  /** Only platform staff may save. Settings are product-wide, so this is the default. */
  readonly anyTenant?: boolean;
  readonly endpoints?: readonly Endpoint[];
  readonly also?: Partial<Omit<Registration, 'contract' | 'endpoints'>>;
}

/**
 * Binds a settings contract to the setting table. The version is the last change of one of the keys, wherever it was made, so
 * that two editors never overwrite each other. Reading gives the declared default where nothing was saved.
 */
export function bindSettings(contract: Settings, binding: SettingsBinding = {}): Registration {
  const root = `/jinmao/web/settings/${contract.name}`;
  const entity = `settings:${contract.name}`;
  const names = Object.keys(contract.keys);

  const read = async (call: Pick<Call, 'platform'>, executor = call.platform.database.db) => {
    const keys = names.map((name) => contract.keys[name]!);
    const rows = await run<{ key: string; value: unknown }>(
      executor,
      'SELECT key, value FROM setting WHERE key = ANY($1::text[])',
      [keys],
    );
    const last = await runOne<{ version: number }>(
      executor,
      'SELECT coalesce(max(id), 0) AS version FROM setting_change WHERE key = ANY($1::text[]) AND tenant_id IS NULL AND project_id IS NULL',
      [keys],
    );
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const stored: Record<string, unknown> = {};
    for (const name of names)
      stored[name] = byKey.has(contract.keys[name]!)
        ? byKey.get(contract.keys[name]!)!.value
        : call.platform.settings.defaultOf(contract.keys[name]!);
    return { stored, version: last!.version };
  };
  const present = async (values: Readonly<Record<string, unknown>>, call: Asked) => ({
    ...values,
    ...(await titled(contract, values, call)),
    ...(await binding.present?.(values, call)),
  });
  const wire = async (stored: Readonly<Record<string, unknown>>, call: Asked) => {
    const values = await present(stored, call);
    return Object.fromEntries(
      names.map((name) => [name, wireValue(contract.fields[name]!.kind, values[name])]),
    );
  };
  const lock = (tx: Tx) => run(tx, 'SELECT pg_advisory_xact_lock(7002, hashtext($1))', [contract.name]);
  const guard: SettingGuard = {
    keys: names.map((name) => contract.keys[name]!),
    check: async (tx, call, values) => {
      await lock(tx);
      const { stored } = await read(call, tx);
      const after = { ...stored };
      for (const name of names) {
        const key = contract.keys[name]!;
        if (!values.has(key)) continue;
        const value = values.get(key) ?? call.platform.settings.defaultOf(key);
        const { kind } = contract.fields[name]!;
        const { problems } = checkInput(contract.fields, [name], { [name]: wireValue(kind, value) });
        if (problems[name]) return problems[name];
        after[name] = value;
      }
      return Object.values((await binding.check?.(after, tx, within(tx, call), stored)) ?? {})[0];
    },
  };
  const words = (name: string, value: unknown, language: Language) =>
    binding.wording?.(name, value, language) ??
    (value === undefined || value === null
      ? '–'
      : exportText(contract.fields[name]!, asList(contract.fields[name]!.kind, value), language));

  const save = async (
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    version: number,
    sent: Readonly<Record<string, unknown>>,
    reason?: string,
  ) => {
    if (!binding.anyTenant && call.caller.tenantKind !== 3)
      throw forbidden(['仅平台可修改全局设置', 'Only the platform may change product-wide settings']);
    const checked = checkInput(contract.fields, names, sent, { partial: true });
    if (Object.keys(checked.problems).length > 0) throw invalid(checked.problems);
    const saved = await transaction(call.platform.database.db, async (tx) => {
      const inside = within(tx, call);
      await lock(tx);
      const before = await read(call, tx);
      if (before.version !== version)
        throw ruleBroken(STALE, {
          current: { values: await wire(before.stored, inside), version: before.version },
        });
      const after = { ...before.stored };
      const given = binding.complete?.(checked.values, before.stored, call.caller) ?? checked.values;
      for (const [name, value] of Object.entries(given))
        after[name] = storedValue(contract.fields[name]!.kind, value);
      const problems = {
        ...(await unknownChoices(contract, after, before.stored, inside)),
        ...(await binding.check?.(after, tx, inside, before.stored)),
      };
      if (Object.keys(problems).length > 0) throw invalid(problems);
      const changes = differences(before.stored, after);
      for (const change of changes)
        await run(
          tx,
          `INSERT INTO setting (key, value, updated_by) VALUES ($1, $2::jsonb, $3)
           ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = setting.version + 1, updated_at = now(), updated_by = excluded.updated_by`,
          [contract.keys[change.field], JSON.stringify(change.after), call.caller.staffId],
        );
      if (changes.length > 0)
        await writeAudit(tx, {
          caller: call.caller,
          facts: call.facts,
          menu: contract.menu,
          action: 'update',
          entity,
          entityId: contract.name,
          before: Object.fromEntries(changes.map((change) => [change.field, change.before])),
          after: {
            ...Object.fromEntries(changes.map((change) => [change.field, change.after])),
            ...(reason !== undefined && { [REASON_KEY]: reason }),
          },
        });
      return read(call, tx);
    });
    call.platform.settings.forget();
    return {
      values: await wire(saved.stored, call),
      version: saved.version,
    };
  };

  const registration: Registration = {
    ...binding.also,
    contract,
    menus: [contract.menu, ...(binding.also?.menus ?? [])],
    settingGuards: [guard, ...(binding.also?.settingGuards ?? [])],
    elements: {
      [elementCode(contract, 'btn_save')]: ['保存', 'Save'],
      ...(contract.reasoned && { [elementCode(contract, 'btn_restore')]: ['恢复', 'Set back'] as Label }),
      ...Object.fromEntries(
        Object.entries(contract.elements ?? {}).map(([element, label]) => [
          elementCode(contract, element),
          label,
        ]),
      ),
      ...binding.also?.elements,
    },
    endpoints: [
      endpoint({
        method: 'GET',
        path: root,
        title: contract.title,
        access: { code: contract.menu },
        handle: async (call) => {
          const { stored, version } = await read(call);
          return { values: await wire(stored, call), version };
        },
      }),
      endpoint({
        method: 'PUT',
        path: root,
        title: ['保存设置', 'Save settings'],
        access: { code: elementCode(contract, 'btn_save') },
        body: z.strictObject({
          version: z.number().int(),
          values: z.record(z.string(), z.unknown()),
          ...(contract.reasoned && { reason: REASON }),
        }) as z.ZodType<{ version: number; values: Record<string, unknown>; reason?: string | undefined }>,
        handle: (call) => save(call, call.body.version, call.body.values, call.body.reason),
      }),
      ...(contract.reasoned
        ? [
            endpoint({
              method: 'POST',
              path: `${root}/restore`,
              title: ['恢复设置', 'Set settings back'],
              access: { code: elementCode(contract, 'btn_restore') },
              body: z.strictObject({
                version: z.number().int(),
                record: z.string().regex(/^\d{1,15}$/),
                reason: REASON,
              }),
              handle: async (call) => {
                const record = await runOne<{ before: Record<string, unknown> | null }>(
                  call.platform.database.db,
                  'SELECT before FROM audit_record WHERE entity = $1 AND id = $2',
                  [entity, call.body.record],
                );
                if (!record?.before) throw notFound();
                const values = Object.fromEntries(
                  names
                    .filter((name) => record.before![name] !== undefined)
                    .map((name) => [name, wireValue(contract.fields[name]!.kind, record.before![name])]),
                );
                return save(call, call.body.version, values, call.body.reason);
              },
            }),
          ]
        : []),
      endpoint({
        method: 'GET',
        path: `${root}/history`,
        title: ['设置变更记录', 'History of settings'],
        access: { code: contract.menu },
        handle: async (call) => {
          const rows = await run<{
            id: number;
            at: Date;
            staff_name: string;
            before: Record<string, unknown> | null;
            after: Record<string, unknown> | null;
          }>(
            call.platform.database.db,
            'SELECT id, at, staff_name, before, after FROM audit_record WHERE entity = $1 ORDER BY id DESC LIMIT 100',
            [entity],
          );
          const shown = await Promise.all(
            rows.map(async (row) => ({
              row,
              before: await present(row.before ?? {}, call),
              after: await present(row.after ?? {}, call),
            })),
          );
          return shown.map(({ row, before, after }) => ({
            id: String(row.id),
            at: isoInstant(row.at),
            who: row.staff_name,
            ...(contract.reasoned && { reason: String(row.after?.[REASON_KEY] ?? '') }),
            changes: Object.keys(row.after ?? {})
              .filter((name) => contract.fields[name])
              .map((name) => ({
                field: textOf(contract.fields[name]!.label, call.facts.language),
                before: words(name, before[name], call.facts.language),
                after: words(name, after[name], call.facts.language),
              })),
          }));
        },
      }),
      ...(binding.endpoints ?? []),
    ],
  };
  return registration;
}

/** A setting's stored value inside a transaction, or its default. */
export async function settingIn(tx: Tx, call: Pick<Call, 'platform'>, key: string): Promise<unknown> {
  const fallback = call.platform.settings.defaultOf(key);
  const row = await runOne<{ value: unknown }>(tx, 'SELECT value FROM setting WHERE key = $1', [key]);
  return row ? row.value : fallback;
}

/** The call with everything read inside the transaction: savers who wait for each other must not wait for connections too. */
function within(tx: Tx, { caller, facts, platform }: Asked): Asked {
  return { caller, facts, platform: { ...platform, database: { ...platform.database, db: tx } } };
}

/** `{id, title}` of references; rows out of the caller's sight keep their number only. */
async function titled(
  contract: Settings,
  values: Readonly<Record<string, unknown>>,
  call: Asked,
): Promise<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const [name, field] of referencesOf(contract)) {
    if (values[name] === undefined || values[name] === null) continue;
    const titles = await optionTitles(call, field.target!, idsOf(values[name]));
    const entries = idsOf(values[name]).map((id) => ({ id, title: titles.get(id) ?? `#${id}` }));
    shown[name] = Array.isArray(values[name]) ? entries : entries[0];
  }
  return shown;
}

/** Fields that name rows the picker does not offer this caller. What was stored before stays, whoever chose it. */
async function unknownChoices(
  contract: Settings,
  values: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
  call: Asked,
): Promise<Record<string, Label>> {
  const problems: Record<string, Label> = {};
  for (const [name, field] of referencesOf(contract)) {
    const known = new Set(idsOf(stored[name]));
    const added = idsOf(values[name]).filter((id) => !known.has(id));
    const offered = await optionTitles(call, field.target!, added);
    if (added.some((id) => !offered.has(id)))
      problems[name] = ['请选择列表中的值', 'Please choose values of the list'];
  }
  return problems;
}

function referencesOf(contract: Settings): readonly (readonly [string, Field])[] {
  return Object.entries(contract.fields).filter(
    ([, field]) => field.target !== undefined && ['ref', 'treeRef', 'refs'].includes(field.kind),
  );
}

function idsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((id) =>
    id === null || id === undefined ? [] : String(id),
  );
}

function wireValue(kind: string, value: unknown): unknown {
  if (kind === 'money') return yuanFromFen(value as number);
  if (kind === 'decimal' || kind === 'percent') return String(value);
  return asList(kind, value);
}

/** A default of the file is one text, also where it stands for several words. */
function asList(kind: string, value: unknown): unknown {
  return kind === 'tags' && typeof value === 'string' ? value.split(',').filter((one) => one !== '') : value;
}

function storedValue(kind: string, value: unknown): unknown {
  if (kind === 'money') return fenFromYuan(value as string);
  if (kind === 'decimal' || kind === 'percent') return Number(value);
  return value;
}
