import { bookDunning, proposeDunning } from '../../../domain/receivable/dunning.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { receivableDunning } from './dunning.contract.ts';

const DAY = 86_400_000;
/** What payers said on the phone. */
const ANSWERS = [
  '已联系，下周付款',
  '对账后付款，已发对账单',
  '本人出差，委托家人缴纳',
  '号码正确，无人接听',
];

/** Proposals of today, and what was sent and answered before. */
export const demo = defineDemo({
  key: 'receivableDunning',
  after: ['receivables', 'packageOrders'],
  run: async ({ tx, tell, now, as }) => {
    const clerk = as('mall1');
    const today = businessDayOf(now);
    const payers = await run<{ id: number }>(
      tx,
      `SELECT DISTINCT t.payer_id AS id FROM receivable t WHERE t.state IN ('open', 'part') AND t.due_on < $1::date ORDER BY 1 LIMIT 40`,
      [addDays(today, -3)],
    );
    const { send, answer } = receivableDunning.actions!;
    for (const ago of [9, 4, 0])
      for (const [index, { id: payer }] of payers.entries()) {
        const day = addDays(today, -ago);
        const proposed = await proposeDunning(tx, payer, day);
        if (!proposed) continue;
        const at = new Date(Math.min(now.getTime() - 60_000, now.getTime() - ago * DAY));
        const stamps = [proposed.id, at];
        await run(tx, 'UPDATE receivable_dunning SET created_at = $2, updated_at = $2 WHERE id = $1', stamps);
        // Those of today wait for somebody.
        if (ago === 0) continue;
        await bookDunning(tx, proposed.id, day, 3_000, clerk.staffId);
        const [record] = await run<{ call: boolean }>(
          tx,
          `UPDATE receivable_dunning SET state = CASE WHEN 'phone' = ANY(channels) AND $4 THEN 'calling' ELSE 'done' END, sent_at = $2, sent_by = $3, owner_id = $3,
                  result = CASE WHEN 'phone' = ANY(channels) AND NOT $4 THEN $5 ELSE '' END WHERE id = $1 RETURNING 'phone' = ANY(channels) AS call`,
          [proposed.id, at, clerk.staffId, ago === 4, ANSWERS[index % ANSWERS.length]],
        );
        const told = { entity: receivableDunning.name, entityId: proposed.id, caller: clerk };
        const calls = record!.call;
        await tell({
          ...told,
          action: 'send',
          label: send.label,
          from: 'waiting',
          to: calls ? 'calling' : 'done',
          at,
        });
        if (calls && ago !== 4)
          await tell({
            ...told,
            action: 'answer',
            label: answer.label,
            from: 'calling',
            to: 'done',
            remark: ANSWERS[index % ANSWERS.length]!,
            at: new Date(at.getTime() + 3_600_000),
          });
      }
  },
});
