import { giveCards, useCard } from '../../../domain/resign-card/resign-card.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { resignCard } from './resign-card.contract.ts';

const DAY = 86_400_000;

/** Cards that were given, won and used, some lapsed or taken back. */
export const demo = defineDemo({
  key: 'resignCards',
  after: ['signIns'],
  run: async ({ tx, platform, random, now, as, tell }) => {
    const author = as('mall1');
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT m.id, m.project_id FROM member m WHERE EXISTS (SELECT FROM sign_in s WHERE s.member_id = m.id) ORDER BY m.id LIMIT 30',
    );
    for (const [index, member] of members.entries()) {
      const source = index % 3 === 0 ? 'given' : index % 3 === 1 ? 'task' : 'shop';
      const id = await giveCards(tx, platform.settings, {
        memberId: member.id,
        projectId: member.project_id,
        qty: 1 + (index % 3),
        source,
        reason: source === 'given' ? '系统故障补偿' : '',
        points: source === 'shop' ? 50 : 0,
        ...(source === 'given' ? { staffId: author.staffId } : {}),
      });
      const at = new Date(now.getTime() - random.int(1, 60) * DAY);
      const ends = index % 11 === 7 ? 'lapsed' : index % 13 === 6 ? 'revoked' : 'held';
      await run(
        tx,
        `UPDATE resign_card SET created_at = $2, updated_at = $2, state = $3, remaining = CASE WHEN $3 = 'held' THEN remaining ELSE 0 END,
                lapses_on = CASE WHEN $3 = 'lapsed' THEN $4::date ELSE lapses_on END WHERE id = $1`,
        [id, at, ends, businessDayOf(new Date(now.getTime() - DAY))],
      );
      if (source === 'given')
        await tell({
          entity: resignCard.name,
          entityId: id,
          caller: author,
          action: 'give',
          label: resignCard.actions!.give.label,
          remark: '系统故障补偿',
          at,
        });
      if (ends !== 'held' || index % 2 === 0) continue;
      const today = businessDayOf(now);
      const missed = await runOne<{ day: string }>(
        tx,
        `SELECT d.day::date::text AS day FROM generate_series($2::date - 5, $2::date - 1, interval '1 day') d (day)
          WHERE to_char(d.day, 'YYYY-MM') = to_char($2::date, 'YYYY-MM')
            AND d.day::date >= (SELECT (registered_at AT TIME ZONE 'Asia/Shanghai')::date FROM member WHERE id = $1)
            AND NOT EXISTS (SELECT FROM sign_in s WHERE s.member_id = $1 AND s.day = d.day::date) ORDER BY d.day DESC LIMIT 1`,
        [member.id, today],
      );
      if (missed)
        await useCard(tx, platform.settings, {
          memberId: member.id,
          projectId: member.project_id,
          day: missed.day,
          today,
        });
    }
  },
});
