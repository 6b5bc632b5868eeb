import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { STAGES, type Stage } from '../../../domain/commercial-client/client.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { businessTarget } from './business-target.contract.ts';
import { monthsIn } from './business-marks.rules.ts';

/** Targets of business people, the way clients took to their stage, comments and tags. */
export const demo = defineDemo({
  key: 'business-targets',
  after: ['commercial-clients', 'spaces'],
  run: async ({ tx, insert, tell, now, as }) => {
    const leader = as('finance1');
    const today = businessDayOf(now);
    const people = await run<{ staff: number }>(
      tx,
      `SELECT b.staff_id AS staff FROM business_person b JOIN staff s ON s.id = b.staff_id WHERE s.account IN ('mall1', 'mall2', 'finance1') ORDER BY s.account DESC`,
    );
    const made = new Date(now.getTime() - 40 * 86_400_000);
    for (const [index, { staff }] of people.entries())
      for (const month of monthsIn(addDays(today, -75), addDays(today, 31))) {
        const [id] = await insert('business_target', [
          {
            staff_id: staff,
            month,
            new_clients: 6 - index,
            visits: 12 - 2 * index,
            signed_contracts: 1,
            signed_amount: [20_000_000, 15_000_000, 8_000_000][index],
            received_amount: [6_000_000, 4_000_000, 2_000_000][index],
            created_at: made,
            created_by: leader.staffId,
            updated_at: made,
            updated_by: leader.staffId,
          },
        ]);
        await tell({
          entity: 'businessTarget',
          entityId: id!,
          caller: leader,
          action: 'create',
          label: businessTarget.actions!.create!.label,
          at: made,
        });
      }
    const clients = await run<{
      id: number;
      state: Stage | 'lost';
      owner: number | null;
      made: Date;
      since: Date;
    }>(
      tx,
      `SELECT c.id, c.state, c.owner_id AS owner, c.created_at AS made, g.entered_at AS since FROM client c JOIN client_stage g ON g.client_id = c.id AND g.left_at IS NULL
        WHERE c.code LIKE 'CLD%' AND NOT EXISTS (SELECT FROM client_stage x WHERE x.client_id = c.id AND x.left_at IS NOT NULL) ORDER BY c.id`,
    );
    for (const client of clients) {
      // The stages before the present one share the time since it was made.
      const before =
        client.state === 'lost' ? STAGES.slice(0, 2) : STAGES.slice(0, STAGES.indexOf(client.state));
      const whole = client.since.getTime() - client.made.getTime();
      if (before.length === 0 || whole <= 0) continue;
      const at = (step: number) => new Date(client.made.getTime() + (whole * step) / before.length);
      await insert(
        'client_stage',
        before.map((stage, step) => ({
          client_id: client.id,
          stage,
          owner_id: client.owner,
          entered_at: at(step),
          left_at: at(step + 1),
        })),
      );
    }
    await run(
      tx,
      `UPDATE client SET tags = CASE WHEN level = 'A' THEN ARRAY['首店', '重点'] ELSE ARRAY['连锁'] END, region = '杭州' WHERE code LIKE 'CLD%' AND level IN ('A', 'B')`,
    );
    const first = clients[0];
    if (first)
      await insert('client_comment', [
        {
          client_id: first.id,
          content: '该品牌在城西店经营稳定，建议优先安排一层临街铺位',
          created_at: new Date(now.getTime() - 5 * 86_400_000),
          created_by: leader.staffId,
        },
      ]);
  },
});
