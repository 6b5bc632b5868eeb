import { z } from 'zod';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { CLOSED } from '../../kernel/server/resource/abilities/reach.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import { defineRegistration, endpoint, type OptionSource } from '../../kernel/server/registration.ts';
import type { Catalogue } from './dictionary-uses.server.ts';

/** A value as forms and labels need it. */
export interface DictionaryEntry {
  readonly id: string;
  readonly value: string;
  readonly code: string;
  readonly label: Label;
  readonly tone: string;
  readonly attributes: readonly [string, string, string];
  readonly enabled: boolean;
  /** Value of the entry above it, in dictionaries of three levels. */
  readonly parent: string | null;
}

/** How references to values of dictionaries are titled, for joins of bindings. */
export const dictionaryValue = { table: 'dictionary_value', titleEn: 'name_en' } as const;
export const bizDictValue = { table: 'biz_dict', titleEn: 'name_en' } as const;

/** Names a dictionary. */
export interface DictionaryName {
  readonly catalogue: Catalogue;
  readonly dictionary: string;
}

/**
 * The values of dictionaries in their order, by code of the dictionary; disabled ones are among them, as rows still hold them.
 * `tenantId` leaves out what only other tenants are offered; null: nothing is left out.
 */
export async function dictionaryEntries(
  db: Executor,
  catalogue: Catalogue,
  dictionaries: readonly string[],
  tenantId: number | null = null,
): Promise<ReadonlyMap<string, readonly DictionaryEntry[]>> {
  interface Found {
    readonly dictionary: string;
    readonly id: number;
    readonly value: string;
    readonly code: string;
    readonly name: string;
    readonly name_en: string;
    readonly tone: string;
    readonly attributes: [string, string, string];
    readonly enabled: boolean;
    readonly parent: string | null;
  }
  const rows =
    catalogue === 'platform'
      ? await run<Found>(
          db,
          `SELECT d.code AS dictionary, v.id, v.value, v.code, v.name, v.name_en, v.tone, jsonb_build_array(v.attr1, v.attr2, v.attr3) AS attributes, v.enabled, NULL AS parent
             FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id
            WHERE d.code = ANY($1::text[]) AND ($2::bigint IS NULL OR v.tenant_id IS NULL OR v.tenant_id = $2)
            ORDER BY v.position, v.id`,
          [dictionaries, tenantId],
        )
      : await run<Found>(
          db,
          // What stands below a disabled value is as good as disabled itself.
          `WITH RECURSIVE below AS (
             SELECT r.code AS dictionary, v.id, v.val, v.code, v.name, v.name_en, r.enabled AND v.enabled AS enabled, NULL::text AS parent, ARRAY[v.view_sort, v.id::int] AS place
               FROM biz_dict r JOIN biz_dict v ON v.parent_id = r.id WHERE r.parent_id IS NULL AND r.code = ANY($1::text[])
             UNION ALL
             SELECT b.dictionary, v.id, v.val, v.code, v.name, v.name_en, b.enabled AND v.enabled, b.val, b.place || ARRAY[v.view_sort, v.id::int]
               FROM below b JOIN biz_dict v ON v.parent_id = b.id)
           SELECT dictionary, id, val AS value, code, name, name_en, 'default' AS tone, '["","",""]'::jsonb AS attributes, enabled, parent FROM below ORDER BY place`,
          [dictionaries],
        );
  const found = new Map<string, DictionaryEntry[]>(dictionaries.map((one) => [one, []]));
  for (const row of rows)
    found.get(row.dictionary)?.push({
      id: String(row.id),
      value: row.value,
      code: row.code,
      label: [row.name, row.name_en],
      tone: row.tone,
      attributes: row.attributes,
      enabled: row.enabled,
      parent: row.parent,
    });
  return found;
}

/** Labels in both languages by value, of disabled values too. */
export async function dictionaryLabels(
  db: Executor,
  { catalogue, dictionary }: DictionaryName,
): Promise<ReadonlyMap<string, Label>> {
  const entries = (await dictionaryEntries(db, catalogue, [dictionary])).get(dictionary) ?? [];
  return new Map(entries.map((entry) => [entry.value, entry.label]));
}

const UNKNOWN: Label = ['请选择列表中的值', 'Please choose a value of the list'];

/**
 * Why a value cannot be written to a row, undefined when it can. The value is held until the transaction ends: whoever wants to
 * delete it meanwhile waits and then finds the row. `was`: what the row holds already stays allowed, disabled or not.
 */
export async function dictionaryProblem(
  tx: Tx,
  { catalogue, dictionary }: DictionaryName,
  value: string,
  options: { readonly was?: string | null; readonly tenantId?: number } = {},
): Promise<Label | undefined> {
  const row = await runOne<{ enabled: boolean; tenant_id: number | null }>(
    tx,
    catalogue === 'platform'
      ? `SELECT v.enabled, v.tenant_id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = $1 AND v.value = $2 FOR KEY SHARE OF v`
      : `SELECT v.enabled, NULL::bigint AS tenant_id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.val = $2 AND v.parent_id IS NOT NULL FOR KEY SHARE OF v`,
    [dictionary, value],
  );
  if (!row) return UNKNOWN;
  if (options.was === value) return undefined;
  if (!row.enabled) return CLOSED;
  if (row.tenant_id !== null && options.tenantId !== undefined && row.tenant_id !== options.tenantId)
    return UNKNOWN;
  return undefined;
}

/** On this channel the database tells of every change of a dictionary. */
export const DICTIONARY_CHANNEL = 'dictionary';

/** The number that every change of any dictionary raises. */
export async function dictionaryVersion(db: Executor): Promise<string> {
  const row = await runOne<{ version: number }>(db, 'SELECT version FROM dictionary_version');
  return String(row!.version);
}

/**
 * A picker of the enabled values of one dictionary, titled in the caller's language, for references by id
 * (`ref('dict.visit_reason', …)` with a foreign key to dictionary_value or biz_dict).
 */
export function dictionaryOptions({ catalogue, dictionary }: DictionaryName): OptionSource {
  return {
    target: `${catalogue === 'platform' ? 'dict' : 'bizDict'}.${dictionary}`,
    find: async ({ caller, platform, facts }, query) => {
      const { db } = platform.database;
      const tenant = caller.tenantKind === 3 ? null : caller.tenantId;
      const entries = (await dictionaryEntries(db, catalogue, [dictionary], tenant)).get(dictionary)!;
      const word = query.searchVal.toLowerCase();
      return entries
        .filter((entry) =>
          query.ids.length > 0
            ? query.ids.includes(entry.id)
            : entry.enabled && `${entry.label.join(' ')} ${entry.value}`.toLowerCase().includes(word),
        )
        .slice(query.offset, query.offset + query.limit)
        .map((entry) => ({
          id: entry.id,
          title: entry.label[facts.language === 'zh' ? 0 : 1],
          note: entry.value,
          ...(entry.enabled ? {} : { closed: true as const }),
          ...(catalogue === 'business'
            ? { parentId: entries.find((one) => one.value === entry.parent)?.id ?? null }
            : {}),
        }));
    },
  };
}

const codes = z
  .string()
  .max(2_000)
  .regex(/^[a-zA-Z0-9_,]*$/)
  .default('');

/** What pages read of dictionaries. Names only, so every signed-in staff may. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/dictionary/version',
      title: ['字典版本', 'Version of dictionaries'],
      access: 'staff',
      handle: async (call) => ({ version: await dictionaryVersion(call.platform.database.db) }),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/dictionary/values',
      title: ['字典值', 'Values of dictionaries'],
      access: 'staff',
      query: z.strictObject({ dict: codes, biz: codes, version: z.string().max(20).optional() }),
      handle: async (call) => {
        const { db } = call.platform.database;
        const version = await dictionaryVersion(db);
        // Whoever holds this version has them all: nothing travels.
        if (call.query.version === version) return { version, dict: null, biz: null };
        const tenant = call.caller.tenantKind === 3 ? null : call.caller.tenantId;
        const listed = (text: string) => text.split(',').filter(Boolean).slice(0, 50);
        return {
          version,
          dict: Object.fromEntries(await dictionaryEntries(db, 'platform', listed(call.query.dict), tenant)),
          biz: Object.fromEntries(await dictionaryEntries(db, 'business', listed(call.query.biz))),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/web/bizDict/getDictValueList',
      title: ['业务字典值列表', 'Values of a business dictionary'],
      access: 'staff',
      query: z
        .strictObject({
          id: z
            .string()
            .regex(/^\d{1,15}$/)
            .optional(),
          code: z.string().min(1).max(90).optional(),
          searchVal: z.string().max(100).default(''),
          page: z.coerce.number().int().min(1).max(10_000).default(1),
          limit: z.coerce.number().int().min(1).max(200).default(10),
          all: z.enum(['0', '1']).default('0'),
        })
        .refine((query) => query.id !== undefined || query.code !== undefined, { path: ['code'] }),
      handle: async (call) => {
        const { id, code, page, limit, all } = call.query;
        const searchVal = call.query.searchVal.trim();
        const answer = await runOne<{ total: number; rows: readonly unknown[] }>(
          call.platform.database.db,
          `WITH RECURSIVE above AS (
             SELECT p.id AS start, p.id, p.parent_id, p.enabled FROM biz_dict p WHERE ($1::bigint IS NULL OR p.id = $1) AND ($2::text IS NULL OR p.code = $2)
             UNION ALL SELECT a.start, u.id, u.parent_id, u.enabled FROM above a JOIN biz_dict u ON u.id = a.parent_id),
           open AS (SELECT start FROM above GROUP BY start HAVING bool_and(enabled) OR $3),
           found AS (
             SELECT v.* FROM biz_dict v WHERE v.parent_id IN (SELECT start FROM open) AND (v.enabled OR $3)
                AND ($4 = '' OR v.name ILIKE $5 OR v.name_en ILIKE $5 OR v.val ILIKE $5 OR v.code ILIKE $5)),
           page AS (SELECT * FROM found ORDER BY view_sort, id LIMIT $6 OFFSET $7)
           SELECT (SELECT count(*)::int FROM found) AS total,
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id::text, 'name', ${call.facts.language === 'zh' ? 'name' : 'name_en'}, 'val', val, 'code', code, 'viewSort', view_sort) ORDER BY view_sort, id), '[]') FROM page) AS rows`,
          [
            id ?? null,
            code ?? null,
            all === '1',
            searchVal,
            containing(searchVal),
            limit,
            (page - 1) * limit,
          ],
        );
        return { total: answer!.total, rows: answer!.rows };
      },
    }),
  ],
});
