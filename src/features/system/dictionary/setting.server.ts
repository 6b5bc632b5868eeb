import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import type { SettingDeclaration } from '../../../kernel/contract/setting-declaration.ts';
import { businessTimeText, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import { SYSTEM_NAME } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  defineRegistration,
  endpoint,
  type Call,
  type ExportSource,
  type OptionSource,
} from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import {
  declaredSetting,
  requirePlace,
  resetSetting,
  setSetting,
  undoSetting,
} from './setting-commands.server.ts';
import { settingRow, storedOf, wordsOf, type Place } from './setting-values.server.ts';
import {
  SETTING_GROUPS,
  SETTING_SOURCES,
  settingPage,
  type SettingChange,
  type SettingOverride,
  type SettingPage,
  type SettingRow,
  type SettingSource,
} from './setting.contract.ts';

const id = z
  .string()
  .regex(/^\d{1,15}$/)
  .optional();
const placeQuery = { tenantId: id, projectId: id };
const filters = {
  ...placeQuery,
  searchVal: z.string().max(100).optional(),
  group: z.string().max(2).optional(),
  source: z.enum(['default', 'platform', 'tenant', 'project']).optional(),
};
const placeOf = (sent: { tenantId?: string | undefined; projectId?: string | undefined }): Place => ({
  tenantId: sent.tenantId ? Number(sent.tenantId) : undefined,
  projectId: sent.projectId ? Number(sent.projectId) : undefined,
});
const read = { code: settingPage.menu };
const root = '/admin/setting';

/** Changes a history shows. */
const MOST_CHANGES = 100;

/** Setting keys: values, overrides, history. */
export const registration = defineRegistration({
  contract: settingPage,
  menus: [settingPage.menu],
  elements: Object.fromEntries(
    Object.entries(settingPage.elements!).map(([element, label]) => [
      elementCode(settingPage, element),
      label,
    ]),
  ),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${root}/page`,
      title: settingPage.title,
      access: read,
      query: z.strictObject({
        ...filters,
        page: z.coerce.number().int().min(1).max(1_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(10),
      }),
      handle: async (call): Promise<SettingPage> => {
        const { group, page, limit } = call.query;
        const found = await rowsOf(call, { ...call.query, group: undefined });
        const counts = new Map<string, number>();
        for (const row of found) counts.set(row.group, (counts.get(row.group) ?? 0) + 1);
        const rows = group ? found.filter((row) => row.group === group) : found;
        return {
          total: rows.length,
          rows: rows.slice((page - 1) * limit, page * limit),
          groups: Object.entries(SETTING_GROUPS)
            .filter(([code]) => counts.has(code))
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([code, name]) => ({
              group: code,
              name: textOf(name, call.facts.language),
              count: counts.get(code)!,
            })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:key`,
      title: settingPage.title,
      access: read,
      query: z.strictObject(placeQuery),
      handle: async (call) => {
        const setting = declaredSetting(call, call.params.key!);
        const place = placeOf(call.query);
        await requirePlace(call, place);
        const stored = await storedOf(call.platform.database.db, [setting.key], place);
        return {
          ...settingRow(setting, stored.get(setting.key), place, call.facts.language),
          overridden: await overridesOf(call, setting),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:key/history`,
      title: ['参数变更记录', 'History of a setting'],
      access: read,
      handle: async (call) => changesOf(call, declaredSetting(call, call.params.key!)),
    }),
    endpoint({
      method: 'PUT',
      path: `${root}/:key`,
      title: ['设置参数', 'Change a setting'],
      access: { code: elementCode(settingPage, 'btn_setting') },
      body: z.strictObject({ ...placeQuery, value: z.unknown(), version: z.number().int().min(0) }),
      handle: async (call) =>
        setSetting(
          call,
          declaredSetting(call, call.params.key!),
          placeOf(call.body),
          call.body.value,
          call.body.version,
        ),
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:key/reset`,
      title: ['恢复默认', 'Reset to default'],
      access: { code: elementCode(settingPage, 'btn_settingReset') },
      body: z.strictObject({ ...placeQuery, version: z.number().int().min(0) }),
      handle: async (call) =>
        resetSetting(call, declaredSetting(call, call.params.key!), placeOf(call.body), call.body.version),
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:key/undo`,
      title: ['撤销修改', 'Undo a change'],
      access: { code: elementCode(settingPage, 'btn_setting') },
      body: z.strictObject({ change: z.string().regex(/^\d{1,15}$/), version: z.number().int().min(0) }),
      handle: async (call) =>
        undoSetting(
          call,
          declaredSetting(call, call.params.key!),
          Number(call.body.change),
          call.body.version,
        ),
    }),
    endpoint({
      method: 'POST',
      path: `${root}/export`,
      title: ['导出', 'Export'],
      access: { code: elementCode(settingPage, 'btn_export') },
      body: z.strictObject({ query: z.strictObject(filters).default({}) }),
      handle: async (call) => {
        if (call.caller.tenantKind !== 3) throw forbidden();
        await requirePlace(call, placeOf(call.body.query));
        const query = Object.fromEntries(
          Object.entries(call.body.query).filter((pair): pair is [string, string] => Boolean(pair[1])),
        );
        return transaction(call.platform.database.db, async (tx) => {
          const taskId = await createExportTask(tx, call.caller, {
            source: 'setting',
            menu: settingPage.menu,
            name: settingPage.title,
            query,
            language: call.facts.language,
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: settingPage.menu,
            action: 'export',
            entity: 'setting',
            entityId: taskId,
            after: query,
          });
          return { taskId };
        });
      },
    }),
  ],
  exports: [settingExport()],
  options: [tenantSource()],
});

/** The keys a filter leaves, in the order of the groups. Only platform staff see any. */
async function rowsOf(
  call: Pick<Call, 'caller' | 'platform' | 'facts'>,
  query: {
    readonly tenantId?: string | undefined;
    readonly projectId?: string | undefined;
    readonly searchVal?: string | undefined;
    readonly group?: string | undefined;
    readonly source?: SettingSource | undefined;
  },
): Promise<readonly SettingRow[]> {
  if (call.caller.tenantKind !== 3) throw forbidden();
  const place = placeOf(query);
  await requirePlace(call, place);
  const scope = place.projectId ? 'project' : place.tenantId ? 'tenant' : 'platform';
  const word = (query.searchVal ?? '').trim().toLowerCase();
  const declared = call.platform.settings.declarations.filter(
    (setting) =>
      setting.scopes.includes(scope) &&
      (!query.group || setting.group === query.group) &&
      `${setting.key} ${setting.name.join(' ')}`.toLowerCase().includes(word),
  );
  const stored = await storedOf(
    call.platform.database.db,
    declared.map((setting) => setting.key),
    place,
  );
  return declared
    .map((setting) => settingRow(setting, stored.get(setting.key), place, call.facts.language))
    .filter((row) => !query.source || row.source === query.source);
}

async function overridesOf(call: Call, setting: SettingDeclaration): Promise<readonly SettingOverride[]> {
  const rows = await run<{
    tenant_id: number | null;
    project_id: number | null;
    title: string;
    value: unknown;
    updated_at: Date;
    who: string | null;
  }>(
    call.platform.database.db,
    `SELECT o.tenant_id, o.project_id, coalesce(n.name, p.name) AS title, o.value, o.updated_at, u.name AS who
       FROM setting_override o LEFT JOIN tenant n ON n.id = o.tenant_id LEFT JOIN project p ON p.id = o.project_id LEFT JOIN staff u ON u.id = o.updated_by
      WHERE o.key = $1 AND ($2::bigint[] IS NULL OR o.project_id IS NULL OR o.project_id = ANY($2::bigint[]))
      ORDER BY o.project_id IS NOT NULL, 3, o.id`,
    [setting.key, call.caller.projectIds],
  );
  return rows.map((row) => ({
    scope: row.project_id === null ? ('tenant' as const) : ('project' as const),
    id: String(row.project_id ?? row.tenant_id),
    title: row.title,
    text: wordsOf(setting, row.value, call.facts.language),
    changedBy: row.who,
    changedAt: isoInstant(row.updated_at),
  }));
}

/** The last changes of a key at every place the caller works in, newest first. */
async function changesOf(call: Call, setting: SettingDeclaration): Promise<readonly SettingChange[]> {
  const rows = await run<{
    id: number;
    at: Date;
    who: string | null;
    tenant_id: number | null;
    project_id: number | null;
    title: string | null;
    had: { value: unknown } | null;
    has: { value: unknown } | null;
    now: { value: unknown } | null;
    last: number;
  }>(
    call.platform.database.db,
    `SELECT c.id, c.at, u.name AS who, c.tenant_id, c.project_id, coalesce(n.name, p.name) AS title,
            CASE WHEN c.before IS NOT NULL THEN jsonb_build_object('value', c.before) END AS had,
            CASE WHEN c.after IS NOT NULL THEN jsonb_build_object('value', c.after) END AS has,
            (SELECT jsonb_build_object('value', l.after) FROM setting_change l WHERE l.id = z.last AND l.after IS NOT NULL) AS now, z.last
       FROM setting_change c
       CROSS JOIN LATERAL (SELECT max(x.id) AS last FROM setting_change x
                            WHERE x.key = c.key AND x.tenant_id IS NOT DISTINCT FROM c.tenant_id AND x.project_id IS NOT DISTINCT FROM c.project_id) z
       LEFT JOIN staff u ON u.id = c.staff_id LEFT JOIN tenant n ON n.id = c.tenant_id LEFT JOIN project p ON p.id = c.project_id
      WHERE c.key = $1 AND ($2::bigint[] IS NULL OR c.project_id IS NULL OR c.project_id = ANY($2::bigint[]))
      ORDER BY c.id DESC LIMIT ${MOST_CHANGES}`,
    [setting.key, call.caller.projectIds],
  );
  const words = (one: { value: unknown } | null) =>
    one ? wordsOf(setting, one.value, call.facts.language) : null;
  return rows.map((row) => ({
    id: String(row.id),
    at: isoInstant(row.at),
    who: row.who ?? SYSTEM_NAME,
    scope: row.project_id !== null ? 'project' : row.tenant_id !== null ? 'tenant' : 'platform',
    place: row.title,
    before: words(row.had),
    after: words(row.has),
    undoable: !setting.keptOn && JSON.stringify(row.had) !== JSON.stringify(row.now),
    version: row.last,
  }));
}

const COLUMNS: readonly (readonly [Label, (row: SettingRow, language: Language) => string])[] = [
  [['分组', 'Group'], (row) => row.groupName],
  [['参数', 'Key'], (row) => row.key],
  [['名称', 'Name'], (row) => row.name],
  [['当前值', 'Value'], (row) => row.text],
  [['默认值', 'Default'], (row) => row.defaultText],
  [['单位', 'Unit'], (row) => row.unit ?? ''],
  [['范围', 'Limits'], (row) => row.limits ?? ''],
  [['来源', 'Source'], (row, language) => textOf(SETTING_SOURCES[row.source], language)],
  [['单独设置', 'Overrides'], (row) => String(row.overrides)],
  [['修改人', 'Changed by'], (row) => row.changedBy ?? ''],
  [['修改时间', 'Changed'], (row) => (row.changedAt ? businessTimeText(row.changedAt) : '')],
];

function settingExport(): ExportSource {
  const rows = (call: { caller: Call['caller']; platform: Platform; language: Language }, query: object) =>
    rowsOf(
      {
        caller: call.caller,
        platform: call.platform,
        facts: { address: '', userAgent: '', language: call.language, traceId: '' },
      },
      query,
    );
  return {
    source: 'setting',
    columns: (language) =>
      COLUMNS.map(([title]) => ({ title: textOf(title, language), kind: 'text' as const })),
    count: async (call, query) => (await rows({ ...call, language: 'zh' }, query)).length,
    async *read(call, query) {
      yield (await rows(call, query)).map((row) => COLUMNS.map(([, cell]) => cell(row, call.language)));
    },
  };
}

/** Tenants as places of settings and of dictionary values; for who keeps those. */
function tenantSource(): OptionSource {
  return {
    target: 'settingTenant',
    anyOf: [settingPage.menu],
    find: async ({ caller, platform }, query) => {
      if (caller.tenantKind !== 3) return [];
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT id, name AS title, account AS note FROM tenant
          WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE name ILIKE $2 OR account ILIKE $2 END
          ORDER BY kind, id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
