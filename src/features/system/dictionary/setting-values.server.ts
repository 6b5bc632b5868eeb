import { textOf, type Language } from '../../../kernel/contract/label.ts';
import {
  limitRange,
  wireSetting,
  type SettingDeclaration,
  type SettingScope,
} from '../../../kernel/contract/setting-declaration.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { SETTING_GROUPS, type SettingRow, type SettingSource } from './setting.contract.ts';

/** A place a value is set at; neither: the platform. At most one of them. */
export interface Place {
  readonly tenantId?: number | undefined;
  readonly projectId?: number | undefined;
}

/** The scope of a place. */
export function scopeOf(place: Place): SettingScope {
  return place.projectId ? 'project' : place.tenantId ? 'tenant' : 'platform';
}

/** What is stored of one key, as seen from a place. */
export interface Stored {
  readonly key: string;
  readonly platform: { readonly value: unknown } | null;
  readonly own: { readonly value: unknown } | null;
  readonly overrides: number;
  readonly version: number;
  readonly changed_at: Date | null;
  readonly changed_by: string | null;
}

/** What is stored of keys, as seen from a place, by key. Keys nobody ever touched are left out. */
export async function storedOf(
  db: Executor,
  keys: readonly string[],
  place: Place,
): Promise<ReadonlyMap<string, Stored>> {
  const rows = await run<Stored>(
    db,
    `SELECT k.key,
            CASE WHEN s.key IS NOT NULL THEN jsonb_build_object('value', s.value) END AS platform,
            CASE WHEN o.id IS NOT NULL THEN jsonb_build_object('value', o.value) END AS own,
            (SELECT count(*)::int FROM setting_override x WHERE x.key = k.key) AS overrides,
            coalesce(c.id, 0) AS version, c.at AS changed_at, coalesce(u.name, CASE WHEN c.id IS NOT NULL THEN '' END) AS changed_by
       FROM unnest($1::text[]) AS k (key)
       LEFT JOIN setting s ON s.key = k.key
       LEFT JOIN setting_override o ON o.key = k.key AND (o.project_id = $2 OR o.tenant_id = $3)
       LEFT JOIN LATERAL (SELECT id, at, staff_id FROM setting_change h
                           WHERE h.key = k.key AND h.project_id IS NOT DISTINCT FROM $2 AND h.tenant_id IS NOT DISTINCT FROM $3
                           ORDER BY h.id DESC LIMIT 1) c ON true
       LEFT JOIN staff u ON u.id = c.staff_id
      WHERE s.key IS NOT NULL OR o.id IS NOT NULL OR c.id IS NOT NULL OR EXISTS (SELECT FROM setting_override x WHERE x.key = k.key)`,
    [keys, place.projectId ?? null, place.tenantId ?? null],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** The value in force at the place and where it comes from. */
export function inForce(
  setting: SettingDeclaration,
  stored: Stored | undefined,
  place: Place,
): { readonly value: unknown; readonly source: SettingSource } {
  if (stored?.own) return { value: stored.own.value, source: scopeOf(place) };
  if (stored?.platform) return { value: stored.platform.value, source: 'platform' };
  return { value: setting.default, source: 'default' };
}

/** A stored value in words: yuan, labels, lists. */
export function wordsOf(setting: SettingDeclaration, stored: unknown, language: Language): string {
  const value = wireSetting(setting, stored);
  switch (setting.type) {
    case 'bool':
      return textOf(value === true ? ['开启', 'On'] : ['关闭', 'Off'], language);
    case 'enum': {
      const choice = setting.choices?.[String(value)];
      return choice ? textOf(choice.label, language) : String(value);
    }
    case 'list': {
      const text = (value as readonly string[]).join(language === 'zh' ? '、' : ', ');
      return text.length > 120 ? `${text.slice(0, 119)}…` : text || '–';
    }
    default:
      return String(value) || '–';
  }
}

/** The row of a key as the list shows it. */
export function settingRow(
  setting: SettingDeclaration,
  stored: Stored | undefined,
  place: Place,
  language: Language,
): SettingRow {
  const { value, source } = inForce(setting, stored, place);
  const limits = setting.type === 'text' ? undefined : limitRange(setting);
  const choices = Object.entries(setting.choices ?? {});
  return {
    key: setting.key,
    name: textOf(setting.name, language),
    group: setting.group,
    groupName: textOf(SETTING_GROUPS[setting.group] ?? [setting.group, setting.group], language),
    type: setting.type,
    value: wireSetting(setting, value),
    text: wordsOf(setting, value, language),
    defaultValue: wireSetting(setting, setting.default),
    defaultText: wordsOf(setting, setting.default, language),
    unit:
      setting.type === 'fen'
        ? textOf(['元', 'yuan'], language)
        : setting.unit
          ? textOf(setting.unit, language)
          : null,
    limits: limits ?? null,
    scopes: setting.scopes,
    source,
    setHere: scopeOf(place) === 'platform' ? Boolean(stored?.platform) : Boolean(stored?.own),
    overrides: stored?.overrides ?? 0,
    changedBy: stored?.changed_by ?? null,
    changedAt: stored?.changed_at ? isoInstant(stored.changed_at) : null,
    version: stored?.version ?? 0,
    keptOn: setting.keptOn ?? null,
    input: {
      min: setting.min ?? null,
      max: setting.max ?? null,
      choices:
        choices.length > 0
          ? Object.fromEntries(choices.map(([word, { label }]) => [word, textOf(label, language)]))
          : null,
    },
  };
}
