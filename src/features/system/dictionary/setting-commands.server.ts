import { fill, type Label } from '../../../kernel/contract/label.ts';
import {
  settingProblem,
  storedSetting,
  wireSetting,
  type SettingDeclaration,
} from '../../../kernel/contract/setting-declaration.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { STALE } from '../../../kernel/server/resource/run-action.ts';
import { optionTitles } from '../../../kernel/server/resource/option-titles.ts';
import { scopeOf, settingRow, storedOf, type Place } from './setting-values.server.ts';
import { SETTING_SOURCES, type SettingRow } from './setting.contract.ts';

type Asked = Pick<Call, 'caller' | 'platform' | 'facts'>;

const NOT_SET: Label = ['此处没有单独设置', 'Nothing is set here'];
const SAME: Label = ['当前已是该值', 'This is the value already'];
const KEPT: Label = ['此参数请在对应的业务界面修改', 'This setting is changed on the screen of its own'];

/** The declaration of a key. Throws 404; only platform staff see any. */
export function declaredSetting(call: Asked, key: string): SettingDeclaration {
  if (call.caller.tenantKind !== 3) throw forbidden();
  const setting = call.platform.settings.declarations.find((one) => one.key === key);
  if (!setting) throw notFound();
  return setting;
}

/** Sets a value at a place: `value` as it travels. Throws 422 out of limits, 30101 when somebody else was faster. */
export function setSetting(
  call: Asked,
  setting: SettingDeclaration,
  place: Place,
  value: unknown,
  version: number,
): Promise<SettingRow> {
  const problem = settingProblem(setting, value);
  if (problem) throw invalid({ value: problem }, problem);
  return change(call, setting, place, version, 'update', () =>
    Promise.resolve(storedSetting(setting, value)),
  );
}

/** Takes the value of a place away: what stands further out holds again. */
export function resetSetting(
  call: Asked,
  setting: SettingDeclaration,
  place: Place,
  version: number,
): Promise<SettingRow> {
  return change(call, setting, place, version, 'reset', (had) => {
    if (had === undefined) throw ruleBroken(NOT_SET);
    return Promise.resolve(undefined);
  });
}

/** Puts back what stood before a change of the history. */
export async function undoSetting(
  call: Asked,
  setting: SettingDeclaration,
  changeId: number,
  version: number,
): Promise<SettingRow> {
  const entry = await runOne<{
    before: unknown;
    is_none: boolean;
    tenant_id: number | null;
    project_id: number | null;
  }>(
    call.platform.database.db,
    'SELECT before, before IS NULL AS is_none, tenant_id, project_id FROM setting_change WHERE id = $1 AND key = $2',
    [changeId, setting.key],
  );
  if (!entry) throw notFound();
  const place = { tenantId: entry.tenant_id ?? undefined, projectId: entry.project_id ?? undefined };
  return change(call, setting, place, version, 'undo', (had) => {
    const before = entry.is_none ? undefined : entry.before;
    if (JSON.stringify(before) === JSON.stringify(had)) throw ruleBroken(SAME);
    // Limits may be others than they were then.
    const problem = before === undefined ? undefined : settingProblem(setting, wireSetting(setting, before));
    if (problem) throw invalid({ value: problem }, problem);
    return Promise.resolve(before);
  });
}

async function change(
  call: Asked,
  setting: SettingDeclaration,
  place: Place,
  version: number,
  action: 'update' | 'reset' | 'undo',
  next: (had: unknown) => Promise<unknown>,
): Promise<SettingRow> {
  const scope = scopeOf(place);
  if (setting.keptOn) throw ruleBroken(KEPT);
  if (!setting.scopes.includes(scope))
    throw ruleBroken(
      fill(['此参数不能按{zh}设置', 'This setting has no value of a {en}'], {
        zh: SETTING_SOURCES[scope][0],
        en: SETTING_SOURCES[scope][1].toLowerCase(),
      }),
    );
  await requirePlace(call, place);
  const row = await transaction(call.platform.database.db, async (tx) => {
    await run(tx, 'SELECT pg_advisory_xact_lock(7003, hashtext($1))', [setting.key]);
    const had = await storedAt(tx, setting, place);
    if (had.version !== version) throw ruleBroken(STALE, { current: await rowOf(tx, call, setting, place) });
    const value = await next(had.value);
    if (scope === 'platform') await requireAllowed(tx, call, setting, value);
    await write(tx, setting.key, place, value, call.caller.staffId);
    await writeAudit(tx, {
      caller: call.caller,
      facts: call.facts,
      menu: 'dictManager',
      action,
      entity: 'setting',
      entityId: setting.key,
      before: { value: had.value ?? null, ...place },
      after: { value: value ?? null, ...place },
    });
    return rowOf(tx, call, setting, place);
  });
  call.platform.settings.forget();
  call.platform.changed('setting');
  return row;
}

/** What is stored at exactly this place, and the number of its last change. */
async function storedAt(tx: Tx, setting: SettingDeclaration, place: Place) {
  const stored = (await storedOf(tx, [setting.key], place)).get(setting.key);
  const held = scopeOf(place) === 'platform' ? stored?.platform : stored?.own;
  return { value: held ? held.value : undefined, version: stored?.version ?? 0 };
}

async function rowOf(tx: Tx, call: Asked, setting: SettingDeclaration, place: Place): Promise<SettingRow> {
  const stored = await storedOf(tx, [setting.key], place);
  return settingRow(setting, stored.get(setting.key), place, call.facts.language);
}

/** Whoever changes is told as who took a value away too, so the row is signed before it goes. */
async function write(tx: Tx, key: string, place: Place, value: unknown, staffId: number): Promise<void> {
  const { tenantId, projectId } = place;
  const json = JSON.stringify(value);
  if (!tenantId && !projectId) {
    if (value === undefined) {
      await run(tx, 'UPDATE setting SET updated_by = $2 WHERE key = $1', [key, staffId]);
      await run(tx, 'DELETE FROM setting WHERE key = $1', [key]);
    } else
      await run(
        tx,
        `INSERT INTO setting (key, value, updated_by) VALUES ($1, $2::jsonb, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = setting.version + 1, updated_at = now(), updated_by = excluded.updated_by`,
        [key, json, staffId],
      );
    return;
  }
  const [column, id] = projectId ? ['project_id', projectId] : ['tenant_id', tenantId];
  if (value === undefined) {
    await run(tx, `UPDATE setting_override SET updated_by = $3 WHERE key = $1 AND ${column} = $2`, [
      key,
      id,
      staffId,
    ]);
    await run(tx, `DELETE FROM setting_override WHERE key = $1 AND ${column} = $2`, [key, id]);
  } else
    await run(
      tx,
      `INSERT INTO setting_override (key, ${column}, value, updated_by) VALUES ($1, $2, $3::jsonb, $4)
       ON CONFLICT (key, ${column}) WHERE ${column} IS NOT NULL
       DO UPDATE SET value = excluded.value, version = setting_override.version + 1, updated_at = now(), updated_by = excluded.updated_by`,
      [key, id, json, staffId],
    );
}

/** The screens that keep the key have their say: rules between several values hold here too. */
async function requireAllowed(
  tx: Tx,
  call: Asked,
  setting: SettingDeclaration,
  value: unknown,
): Promise<void> {
  for (const guard of call.platform.registrations.flatMap((service) => service.settingGuards ?? [])) {
    if (!guard.keys.includes(setting.key)) continue;
    const problem = await guard.check(tx, call, new Map([[setting.key, value]]));
    if (problem) throw invalid({ value: problem }, problem);
  }
}

/** Throws 404 for a tenant or project the caller is not offered. */
export async function requirePlace(call: Asked, { tenantId, projectId }: Place): Promise<void> {
  if (tenantId && projectId)
    throw invalid({ projectId: ['租户和项目只能选择一个', 'Choose a tenant or a project, not both'] });
  if (tenantId && !(await optionTitles(call, 'settingTenant', [tenantId])).has(String(tenantId)))
    throw notFound();
  if (projectId && !(await optionTitles(call, 'project', [projectId])).has(String(projectId)))
    throw notFound();
}
