import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const FAILURES = ['未授权', '卡片已挂失', '人脸不匹配', '通行码已失效'];

/** Three weeks of residents passing the gates of every project, most of them today and yesterday. */
export const demo = defineDemo({
  key: 'passLog',
  after: ['registrations', 'roadGates', 'visitors'],
  run: async ({ tx, insert, base, random, now }) => {
    const [photo] = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY id LIMIT 1`,
    );
    const rows: Record<string, unknown>[] = [];
    for (const [index, project] of base.projects.entries()) {
      const people = await run<{ id: number; name: string; phone: string }>(
        tx,
        `SELECT DISTINCT m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone FROM household hh JOIN house x ON x.id = hh.house_id
           JOIN member m ON m.id = hh.member_id WHERE x.project_id = $1 AND hh.status = 'normal' ORDER BY m.id LIMIT 12`,
        [project.id],
      );
      const gates = await run<{ id: number; name: string }>(
        tx,
        'SELECT id, name FROM road_gate WHERE project_id = $1 ORDER BY id',
        [project.id],
      );
      if (people.length === 0 || gates.length === 0) continue;
      for (let n = 0; n < (index < 3 ? 60 : 20); n += 1) {
        const person = random.pick(people);
        const gate = random.pick(gates);
        const failed = random.chance(0.08);
        const days = random.chance(0.5) ? 0 : random.int(0, 20);
        const at = new Date(now.getTime() - days * DAY - random.int(1, 1_200) * MINUTE);
        const method = random.weighted(['face', 'card', 'qr', 'remote'] as const, (one) =>
          one === 'face' ? 5 : one === 'card' ? 3 : 1,
        );
        rows.push({
          at,
          // Now and then the line was down and the device told it hours later.
          received_at: new Date(
            Math.min(now.getTime(), at.getTime() + (random.chance(0.05) ? random.int(60, 600) : 0) * MINUTE),
          ),
          project_id: project.id,
          gate_id: gate.id,
          address: gate.name,
          direction: random.pick(['in', 'out']),
          method,
          result: failed ? 'failed' : 'succeeded',
          reason: failed ? random.pick(FAILURES) : '',
          member_id: failed && method === 'face' ? null : person.id,
          user_name: failed && method === 'face' ? '' : person.name,
          phone: failed && method === 'face' ? '' : person.phone,
          photo_id: method === 'face' ? (photo?.id ?? null) : null,
        });
      }
    }
    for (let from = 0; from < rows.length; from += 500)
      await insert('pass_log', rows.slice(from, from + 500));
  },
});
