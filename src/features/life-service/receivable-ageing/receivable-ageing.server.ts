import { z } from 'zod';
import { prepaidSql } from '../../../domain/receivable/receipt.server.ts';
import { bucketOf, overdueDays, SOURCES } from '../../../domain/receivable/receivable.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, endpoint, type Registration } from '../../../kernel/server/registration.ts';
import { RECEIVABLE_MENU } from '../receivable/receivable.contract.ts';
import { RECEIVABLE_SCOPE } from '../receivable/request-approval.server.ts';
import type { AgeingLine, AgeingRow, AgeingTable, ReceivableFigures } from './receivable-ageing.ts';

const DAY = z.string().max(10);
const query = z.strictObject({
  asOf: DAY,
  basis: z.enum(['due_on', 'posted_on']).default('due_on'),
  limits: z.string().max(40).default('30,60,90,120'),
  by: z.enum(['project', 'payer', 'owner', 'source']).default('project'),
});
type Query = z.infer<typeof query>;

interface Line {
  readonly id: number;
  readonly code: string;
  readonly payer_id: number;
  readonly payer: string;
  readonly project_id: number;
  readonly project: string;
  readonly owner_id: number;
  readonly owner: string | null;
  readonly source: keyof typeof SOURCES;
  readonly due_on: string;
  readonly posted_on: string;
  readonly balance: number;
  readonly credit: number;
  /** The account of it: payer and company. */
  readonly credit_owner: string;
}

/** Bounds of the columns: one to six, rising. */
function limitsOf(text: string): readonly number[] {
  const limits = text.split(',').map((one) => (/^\d{1,4}$/.test(one.trim()) ? Number(one) : 0));
  const rising = limits.every((one, index) => one > (limits[index - 1] ?? 0));
  if (limits.length < 1 || limits.length > 6 || !rising)
    throw invalid({ limits: ['请填写 1–6 个递增的天数', 'One to six days that rise'] });
  return limits;
}

function asOfDay(text: string): string {
  if (!isBusinessDay(text)) throw invalid({ asOf: ['日期无效', 'No such day'] });
  if (text > businessDayOf(new Date()))
    throw invalid({ asOf: ['不能晚于今天', 'It cannot lie after today'] });
  return text;
}

/**
 * Lines with a balance on a day, in the caller's scope: charges and receipts up to that day count, what was void or written off by
 * then does not.
 */
async function linesOn(db: Executor, caller: Caller, asOf: string): Promise<readonly Line[]> {
  const parameters = new Parameters();
  const day = `${parameters.bind(asOf)}::date`;
  const seen = scopeCondition(caller, RECEIVABLE_MENU, RECEIVABLE_SCOPE, parameters);
  return run<Line>(
    db,
    `SELECT x.* FROM (
       SELECT t.id, t.code, t.payer_id, y.name AS payer, t.project_id, p.name AS project, coalesce(t.owner_id, 0) AS owner_id, o.name AS owner,
              t.source_kind AS source, t.due_on, t.posted_on,
              (t.principal
               + coalesce((SELECT sum(c.amount) FROM receivable_charge c WHERE c.receivable_id = t.id
                            AND coalesce(c.to_on, (c.created_at AT TIME ZONE 'Asia/Shanghai')::date) <= ${day}), 0)
               - coalesce((SELECT sum(a.amount) FROM receipt_allocation a JOIN receipt r ON r.id = a.receipt_id AND r.state = 'confirmed'
                            WHERE a.receivable_id = t.id AND r.received_on <= ${day}), 0))::bigint AS balance,
              ${prepaidSql('t.payer_id', 't.project_id')} AS credit, prepaid_owner(t.payer_id, t.project_id) AS credit_owner
         FROM receivable t JOIN payer y ON y.id = t.payer_id JOIN project p ON p.id = t.project_id LEFT JOIN staff o ON o.id = t.owner_id
        WHERE t.state <> 'void' AND t.posted_on <= ${day} AND ${seen}
          AND NOT (t.state = 'written_off' AND coalesce((SELECT max((q.ended_at AT TIME ZONE 'Asia/Shanghai')::date) FROM receivable_request q
                WHERE q.receivable_id = t.id AND q.kind = 'write_off' AND q.state = 'passed'), ${day}) <= ${day})) x
      WHERE x.balance > 0 ORDER BY x.due_on, x.code`,
    parameters.values,
  );
}

const keyOf = (line: Line, by: Query['by']) =>
  by === 'project'
    ? String(line.project_id)
    : by === 'payer'
      ? String(line.payer_id)
      : by === 'owner'
        ? String(line.owner_id)
        : line.source;

function tableOf(lines: readonly Line[], asked: Query, asOf: string, language: 'zh' | 'en'): AgeingTable {
  const limits = limitsOf(asked.limits);
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = keyOf(line, asked.by);
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const nameOf = (line: Line) =>
    asked.by === 'project'
      ? line.project
      : asked.by === 'payer'
        ? maskValue('name', line.payer)
        : asked.by === 'owner'
          ? (line.owner ?? (language === 'en' ? 'None' : '无'))
          : SOURCES[line.source].label[language === 'en' ? 1 : 0];
  const sum = (part: readonly Line[]) => part.reduce((total, line) => total + line.balance, 0);
  const rowOf = (key: string, name: string, part: readonly Line[]): AgeingRow => ({
    key,
    name,
    cells: Array.from({ length: limits.length + 2 }, (_, cell) =>
      yuanFromFen(sum(part.filter((line) => bucketOf(line[asked.basis], asOf, limits) === cell))),
    ),
    total: yuanFromFen(sum(part)),
    soon: yuanFromFen(sum(part.filter((line) => isSoon(line, asOf)))),
    credit: yuanFromFen(
      [...new Map(part.map((line) => [line.credit_owner, line.credit])).values()].reduce((a, b) => a + b, 0),
    ),
  });
  return {
    limits,
    rows: [...groups]
      .map(([key, part]) => ({ row: rowOf(key, nameOf(part[0]!), part), sum: sum(part) }))
      .sort((a, b) => b.sum - a.sum || a.row.key.localeCompare(b.row.key))
      .map(({ row }) => row),
    sums: rowOf('', language === 'en' ? 'Total' : '合计', lines),
  };
}

const isSoon = (line: Line, asOf: string) => line.due_on >= asOf && line.due_on <= addDays(asOf, 30);

/** The ageing table of receivables, its lines, and the figures above the list. */
export const registration: Registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/receivableAgeing',
      title: ['应收账龄', 'Ageing of receivables'],
      access: { code: RECEIVABLE_MENU },
      query,
      handle: async ({ platform, caller, query: asked, facts }) => {
        const asOf = asOfDay(asked.asOf);
        limitsOf(asked.limits);
        const lines = await linesOn(platform.database.db, caller, asOf);
        return tableOf(lines, asked, asOf, facts.language === 'en' ? 'en' : 'zh');
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/receivableAgeing/lines',
      title: ['账龄明细', 'Lines of a cell'],
      access: { code: RECEIVABLE_MENU },
      query: query.extend({
        /** Number of the column; `soon`, or nothing for all. */
        cell: z
          .string()
          .regex(/^(soon|\d)$/)
          .optional(),
        key: z.string().max(20).optional(),
      }),
      handle: async ({ platform, caller, query: asked }): Promise<readonly AgeingLine[]> => {
        const asOf = asOfDay(asked.asOf);
        const limits = limitsOf(asked.limits);
        const lines = (await linesOn(platform.database.db, caller, asOf)).filter(
          (line) =>
            (!asked.key || keyOf(line, asked.by) === asked.key) &&
            (asked.cell === undefined ||
              (asked.cell === 'soon'
                ? isSoon(line, asOf)
                : bucketOf(line[asked.basis], asOf, limits) === Number(asked.cell))),
        );
        return lines.slice(0, 2_000).map((line) => ({
          id: String(line.id),
          code: line.code,
          payer: maskValue('name', line.payer),
          project: line.project,
          dueOn: line.due_on,
          days: overdueDays(line.due_on, asOf),
          balance: yuanFromFen(line.balance),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/receivableAgeing/figures',
      title: ['应收概览', 'Receivables at a glance'],
      access: { code: RECEIVABLE_MENU },
      query: z.strictObject({}),
      handle: async ({ platform, caller }): Promise<ReceivableFigures> => {
        const parameters = new Parameters();
        const seen = scopeCondition(caller, RECEIVABLE_MENU, RECEIVABLE_SCOPE, parameters);
        const today = businessDayOf(new Date());
        const day = `${parameters.bind(today)}::date`;
        const owed = `t.state IN ('open', 'part')`;
        const rest = 't.principal + t.charges - t.received';
        const month = (column: string) => `date_trunc('month', ${column}) = date_trunc('month', ${day})`;
        const row = (await runOne<
          Record<'balance' | 'overdue' | 'due' | 'due_received' | 'posted' | 'month_received', number>
        >(
          platform.database.db,
          `SELECT coalesce(sum(${rest}) FILTER (WHERE ${owed}), 0)::bigint AS balance,
                  coalesce(sum(${rest}) FILTER (WHERE ${owed} AND t.due_on < ${day}), 0)::bigint AS overdue,
                  coalesce(sum(t.principal) FILTER (WHERE t.state <> 'void' AND ${month('t.due_on')}), 0)::bigint AS due,
                  coalesce(sum(t.received) FILTER (WHERE t.state <> 'void' AND ${month('t.due_on')}), 0)::bigint AS due_received,
                  coalesce(sum(t.principal) FILTER (WHERE t.state <> 'void' AND t.posted_on > ${day} - 90), 0)::bigint AS posted,
                  coalesce(sum((SELECT sum(a.amount) FROM receipt_allocation a JOIN receipt r ON r.id = a.receipt_id AND r.state = 'confirmed'
                                 WHERE a.receivable_id = t.id AND ${month('r.received_on')})), 0)::bigint AS month_received
             FROM receivable t WHERE ${seen}`,
          parameters.values,
        ))!;
        const rate = (part: number, whole: number) => (whole > 0 ? ((100 * part) / whole).toFixed(1) : null);
        return {
          balance: yuanFromFen(row.balance),
          overdue: yuanFromFen(row.overdue),
          overdueRate: rate(row.overdue, row.balance),
          dueThisMonth: yuanFromFen(row.due),
          receivedThisMonth: yuanFromFen(row.month_received),
          collectionRate: rate(row.due_received, row.due),
          dso: row.posted > 0 ? ((90 * row.balance) / row.posted).toFixed(1) : null,
        };
      },
    }),
  ],
});
