import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { wordsOf } from '../../../domain/region/region-words.server.ts';
import { region } from './region.contract.ts';

const DAY = 86_400_000;

/** Zones the operator keeps beside the national list, one of which gave way to another. */
export const demo = defineDemo({
  key: 'region',
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const city = await runOne<{ id: number }>(tx, `SELECT id FROM region WHERE code = '320500'`);
    if (!city) return;
    const zones = [
      { code: '320594', name: '太湖新城（筹）', made: at(320), enabled: false },
      { code: '320595', name: '太湖新城', made: at(64), enabled: true },
    ];
    const [old, next] = await insert(
      'region',
      zones.map(({ code, name, made, enabled }, index) => ({
        code,
        name,
        ...wordsOf(name),
        level: 3,
        parent_id: city.id,
        sort: 90 + index,
        source: 'own',
        enabled,
        created_at: made,
        created_by: author.staffId,
        updated_at: at(60),
        updated_by: author.staffId,
      })),
    );
    await run(tx, 'UPDATE region SET replaced_by = $2 WHERE id = $1', [old, next]);
    for (const [id, made] of [
      [old!, at(320)],
      [next!, at(64)],
    ] as const)
      await tell({
        entity: 'region',
        entityId: id,
        caller: author,
        action: 'create',
        label: region.actions!.create!.label,
        at: made,
      });
    await tell({
      entity: 'region',
      entityId: old!,
      caller: author,
      action: 'replace',
      label: region.actions!.replace!.label,
      remark: '320594 → 320595',
      at: at(60),
    });
  },
});
