import {
  answerDispute,
  confirmFor,
  decideStatement,
  recallStatement,
  resubmitStatement,
} from '../../../domain/settlement/life-cycle.server.ts';
import { STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { tellMerchant } from '../../../domain/statement/statement-notice.server.ts';
import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { businessMinutesTo } from '../../../domain/business-calendar/business-hours.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { disputesOf, rowsOf } from '../statement-facts.server.ts';
import { merchantConfirmation, RECONCILIATION_MENU } from './reconciliation.contract.ts';

const PLATFORM: Label = ['仅平台财务可以操作', 'Only the finance desk of the platform does this'];
const ofPlatform = (_row: DbRow, caller: Caller): Label | undefined =>
  caller.tenantKind === 3 ? undefined : PLATFORM;
const OPEN = `FROM statement_dispute d JOIN statement_line l ON l.id = d.line_id WHERE d.statement_id = t.id AND d.withdrawn_at IS NULL AND d.answer IS NULL`;

/** Statements that wait for merchants. */
export const registration = bindResource(merchantConfirmation, {
  table: 'statement',
  entity: STATEMENT,
  from: 'statement t LEFT JOIN tenant m ON m.id = t.tenant_id',
  where: `t.state IN ('to_confirm', 'disputed')`,
  scope: statementScope('t'),
  search: 'lower(t.code)',
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    period: `to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD')`,
    windowLeft: 'NULL::integer',
    disputedRows: `(SELECT count(*)::int ${OPEN})`,
    disputedAmount: `(SELECT coalesce(sum(l.net), 0)::bigint ${OPEN})`,
  },
  present: async (rows, db) => {
    const open = rows.filter((row) => row.windowEndsAt && row.state === 'to_confirm');
    const left = await businessMinutesTo(
      db,
      new Date(),
      open.map((row) => new Date(row.windowEndsAt as string | Date)),
    );
    for (const [index, row] of open.entries()) row.windowLeft = Math.max(0, Math.floor(left[index]! / 60));
  },
  detail: async (db, id) => ({ disputes: await disputesOf(db, id), lines: await rowsOf(db, id) }),
  ruleReads: ['round'],
  rowRules: {
    remind: ofPlatform,
    answer: ofPlatform,
    resubmit: ofPlatform,
    recall: ofPlatform,
    confirmFor: ofPlatform,
    decide: (row, caller) =>
      ofPlatform(row, caller) ??
      (Number(row.round) < 3
        ? ['第 3 轮起才能裁定', 'A decision is possible from the third round on']
        : undefined),
  },
  handlers: {
    remind: async ({ tx, row }) => {
      await tellMerchant(tx, row, ['请尽快确认账单', 'Please confirm your bill']);
      return { set: { reminded_at: new Date() } };
    },
    answer: answerDispute,
    resubmit: resubmitStatement,
    recall: recallStatement,
    confirmFor,
    decide: decideStatement,
  },
  also: { options: [openDisputes()] },
}).registration;

/** Disputes that wait for an answer, where the caller works. */
function openDisputes(): OptionSource {
  return {
    target: 'openDispute',
    anyOf: [RECONCILIATION_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        `t.state = 'disputed' AND d.withdrawn_at IS NULL AND d.answer IS NULL`,
        scopeCondition(caller, RECONCILIATION_MENU, statementScope('t'), parameters),
      ];
      if (query.ids.length > 0) parts.push(`d.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(
          `position(lower(${parameters.bind(query.searchVal)}) IN lower(t.code || ' ' || d.text)) > 0`,
        );
      const rows = await run<{
        id: number;
        code: string;
        row_no: number;
        text: string;
        claimed: number | null;
        net: number;
      }>(
        platform.database.db,
        `SELECT d.id, t.code, l.row_no, d.text, d.claimed, l.net FROM statement_dispute d JOIN statement t ON t.id = d.statement_id JOIN statement_line l ON l.id = d.line_id
          WHERE ${parts.join(' AND ')} ORDER BY d.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: `${row.code} #${row.row_no}`,
        note: `${yuanFromFen(row.net)}${row.claimed === null ? '' : ` → ${yuanFromFen(row.claimed)}`} ${row.text.slice(0, 40)}`,
      }));
    },
  };
}
