import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { bizDict } from '../biz-dict/biz-dict.contract.ts';
import { dictValue } from './dict-value.contract.ts';

const DAY = 86_400_000;

/** Own values beside those of the product, one of them out of use, and settings that were changed, one twice. */
export const demo = defineDemo({
  key: 'dictionary',
  run: async ({ tx, base, insert, tell, now, as }) => {
    const author = as('service1');
    // In the office hours of that day.
    const ago = (days: number) =>
      new Date(Math.floor(now.getTime() / DAY - days) * DAY + (150 + ((days * 37) % 290)) * 60_000);
    const stamps = (made: Date, changed = made) => ({
      created_at: made,
      created_by: author.staffId,
      updated_at: changed,
      updated_by: author.staffId,
    });

    const types = new Map(
      (await run<{ id: number; code: string }>(tx, 'SELECT id, code FROM dictionary_type')).map((row) => [
        row.code,
        row.id,
      ]),
    );
    const values = [
      ['express_company', 'danniao', '丹鸟快递', 'Danniao', 'default', 62, true],
      ['visit_reason', 'tutor', '家教上门', 'Private tutor', 'default', 48, true],
      ['visit_reason', 'gas', '燃气入户安检', 'Gas safety check', 'processing', 33, true],
      ['group_class', 'fishing', '垂钓', 'Fishing', 'default', 90, false],
    ] as const;
    const made = await insert(
      'dictionary_value',
      values.map(([type, value, name, english, tone, days, enabled], index) => ({
        type_id: types.get(type)!,
        code: `${type}.${value}`,
        value,
        name,
        name_en: english,
        tone,
        position: 100 + index,
        enabled,
        version: enabled ? 1 : 2,
        ...stamps(ago(days), enabled ? ago(days) : ago(12)),
      })),
    );
    for (const [index, [, , , , , days, enabled]] of values.entries()) {
      const entry = { entity: 'dictValue', entityId: made[index]!, caller: author };
      await tell({ ...entry, action: 'create', label: dictValue.actions!.create!.label, at: ago(days) });
      if (!enabled)
        await tell({ ...entry, action: 'disable', label: dictValue.actions!.disable!.label, at: ago(12) });
    }

    const roots = new Map(
      (await run<{ id: number; code: string }>(tx, 'SELECT id, code FROM biz_dict')).map((row) => [
        row.code,
        row.id,
      ]),
    );
    const business = [
      ['decor_style', 'decor_style', 'french', '法式', 'French', 57, true],
      ['client_industry.living', 'client_industry', 'key', '开锁配钥匙', 'Locksmith', 41, true],
      ['client_source', 'client_source', 'newspaper', '报纸广告', 'Newspaper', 120, false],
    ] as const;
    const added = await insert(
      'biz_dict',
      business.map(([parent, root, val, name, english, days, enabled], index) => ({
        parent_id: roots.get(parent)!,
        code: `${root}.${val}`,
        val,
        name,
        name_en: english,
        view_sort: 100 + index,
        enabled,
        version: enabled ? 1 : 2,
        ...stamps(ago(days), enabled ? ago(days) : ago(20)),
      })),
    );
    for (const [index, [, , , , , days, enabled]] of business.entries()) {
      const entry = { entity: 'bizDict', entityId: added[index]!, caller: author };
      await tell({ ...entry, action: 'create', label: bizDict.actions!.create!.label, at: ago(days) });
      if (!enabled)
        await tell({ ...entry, action: 'disable', label: bizDict.actions!.disable!.label, at: ago(20) });
    }

    // Each statement leaves its line in the history of the key, at its own time.
    const set = (key: string, value: unknown, at: Date) =>
      run(
        tx,
        `INSERT INTO setting (key, value, updated_at, updated_by) VALUES ($1, $2::jsonb, $3, $4)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = setting.version + 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
        [key, JSON.stringify(value), at, author.staffId],
      );
    const setFor = (key: string, projectId: number, value: unknown, at: Date) =>
      run(
        tx,
        'INSERT INTO setting_override (key, project_id, value, updated_at, updated_by) VALUES ($1, $2, $3::jsonb, $4, $5)',
        [key, projectId, JSON.stringify(value), at, author.staffId],
      );
    await set('service.hot_max', 16, ago(75));
    await set('contract.notice_days', 45, ago(58));
    await set('contract.notice_days', 90, ago(21));
    await set('message.cap.per_week', 6, ago(44));
    const [first, second] = base.projects;
    if (first) {
      await setFor('parking.overtime.grace_minutes', first.id, 20, ago(39));
      await setFor('fee.dun.per_week', first.id, 1, ago(26));
    }
    if (second) await setFor('visit.free_parking_min', second.id, 180, ago(9));
  },
});
