import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { RECEIVABLE_MENU } from './receivable.contract.ts';
import { RECEIVABLE_SCOPE } from './request-approval.server.ts';
import type { StatementText } from './statement-wire.ts';

/** What a payer owed, what was added and what came in, of the lines the caller sees. */
export const statementEndpoint = (bound: () => BoundResource) =>
  endpoint({
    method: 'GET',
    path: '/jinmao/web/receivable/:id/statement',
    title: ['对账单', 'Statement of a payer'],
    access: { code: `${RECEIVABLE_MENU}:btn_statement` },
    query: z.strictObject({ from: z.string().max(10), to: z.string().max(10) }),
    handle: async (call): Promise<StatementText> => {
      const id = idOf(call.params.id);
      const { from, to } = call.query;
      if (!isBusinessDay(from) || !isBusinessDay(to) || from > to)
        throw invalid({ to: ['期间无效', 'No such period'] });
      await bound().find(call, id);
      const { db } = call.platform.database;
      const payer = (await runOne<{ id: number; name: string }>(
        db,
        'SELECT y.id, y.name FROM receivable t JOIN payer y ON y.id = t.payer_id WHERE t.id = $1',
        [id],
      ))!;
      const parameters = new Parameters();
      const who = parameters.bind(payer.id);
      const seen = scopeCondition(call.caller, RECEIVABLE_MENU, RECEIVABLE_SCOPE, parameters);
      const until = parameters.bind(to);
      const entries = await run<{
        day: string;
        kind: StatementText['entries'][number]['kind'];
        code: string;
        amount: number;
      }>(
        db,
        `WITH line AS (SELECT t.* FROM receivable t WHERE t.payer_id = ${who} AND t.state <> 'void' AND ${seen})
         SELECT x.day::text AS day, x.kind, x.code, x.amount FROM (
           SELECT posted_on AS day, 'line' AS kind, code, principal AS amount, 1 AS rank FROM line
           UNION ALL
           SELECT coalesce(c.to_on, (c.created_at AT TIME ZONE 'Asia/Shanghai')::date), c.kind, l.code, c.amount, 2
             FROM receivable_charge c JOIN line l ON l.id = c.receivable_id
           UNION ALL
           SELECT r.received_on, 'receipt', r.code, -sum(a.amount)::bigint, 3 FROM receipt_allocation a JOIN line l ON l.id = a.receivable_id
             JOIN receipt r ON r.id = a.receipt_id WHERE r.state = 'confirmed' GROUP BY r.id
           UNION ALL
           SELECT (q.ended_at AT TIME ZONE 'Asia/Shanghai')::date, 'write_off', l.code, -(l.principal + l.charges - l.received), 4
             FROM line l JOIN LATERAL (SELECT ended_at FROM receivable_request WHERE receivable_id = l.id AND kind = 'write_off' AND state = 'passed'
               ORDER BY id DESC LIMIT 1) q ON TRUE WHERE l.state = 'written_off') x
          WHERE x.day <= ${until}::date ORDER BY x.day, x.rank, x.code`,
        parameters.values,
      );
      const opening = entries.filter((one) => one.day < from).reduce((sum, one) => sum + one.amount, 0);
      const inside = entries.filter((one) => one.day >= from);
      let balance = opening;
      return {
        payer: maskValue('name', payer.name),
        from,
        to,
        opening: yuanFromFen(opening),
        entries: inside.map((one) => {
          balance += one.amount;
          return {
            day: one.day,
            kind: one.kind,
            code: one.code,
            amount: yuanFromFen(one.amount),
            balance: yuanFromFen(balance),
          };
        }),
        closing: yuanFromFen(balance),
      };
    },
  });
