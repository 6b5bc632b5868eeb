import { exportElementOf } from '../../../kernel/contract/resource.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import {
  confirmStatement,
  MAKER,
  payOffline,
  requireSameRows,
} from '../../../domain/settlement/life-cycle.server.ts';
import { tellMerchant } from '../../../domain/statement/statement-notice.server.ts';
import { statementLine } from './statement.contract.ts';

const CHANGED: Label = ['账单状态已变化', 'The status of the statement has changed'];
const MERCHANT_ONLY: Label = [
  '账单由商户自己核对与确认',
  'Merchants check and confirm their statements themselves',
];

/** Why an action is refused for a row and a caller; the same rules hide its button. */
export const statementRules: Readonly<Record<string, (row: DbRow, caller: Caller) => Label | undefined>> = {
  confirm: (row, caller) => open(row, 'to_confirm') ?? ownMerchant(caller),
  dispute: (row, caller) => open(row, 'to_confirm', 'disputed') ?? ownMerchant(caller),
  withdrawDispute: (_row, caller) => ownMerchant(caller),
  pay: (row, caller) => {
    if (caller.tenantKind !== 3) return ['仅平台出纳可以付款', 'Only cashiers of the platform pay'];
    return row.makerId === caller.staffId || row.submitterId === caller.staffId ? MAKER : undefined;
  },
  voucher: (row, caller) => {
    if (caller.tenantKind !== 3) return ['仅平台可以补充凭证', 'Only the platform adds vouchers'];
    return row.noPayment ? ['该账单无需付款', 'Nothing was to be paid'] : undefined;
  },
};

function open(row: DbRow, ...states: readonly string[]): Label | undefined {
  return states.includes(String(row.state)) && row.windowOver !== true ? undefined : CHANGED;
}

function ownMerchant(caller: Caller): Label | undefined {
  return caller.tenantKind === 2 ? undefined : MERCHANT_ONLY;
}

/** The merchant agrees with the very rows it looked at: what is due is fixed, what is too little is carried over. */
export async function confirm(context: ActionContext): Promise<ActionResult> {
  requireSameRows(context.row, context.input.rowsHash);
  return confirmStatement(context, 'merchant');
}

/** Silence until the window's end confirms. */
export async function autoConfirm(context: ActionContext): Promise<ActionResult> {
  const result = await confirmStatement(context, 'system');
  await tellMerchant(context.tx, context.row, [
    '确认期已过，账单自动确认',
    'The window is over, the bill was confirmed',
  ]);
  return result;
}

/** The merchant does not agree with some rows; the clock of its window stands still from the first dispute on. */
export async function dispute({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const lines = [...new Set((input.lines as readonly number[]).map(Number))];
  const own = await run<{ id: number; row_no: number; taken: boolean }>(
    tx,
    `SELECT l.id, l.row_no, EXISTS (SELECT FROM statement_dispute d WHERE d.line_id = l.id AND d.round = $3 AND d.withdrawn_at IS NULL) AS taken
       FROM statement_line l WHERE l.statement_id = $1 AND l.active AND l.id = ANY($2::bigint[])`,
    [id, lines, row.round],
  );
  if (own.length < lines.length)
    throw invalid({ lines: ['只能选择本账单的明细', 'Choose rows of this bill'] });
  const taken = own.filter((line) => line.taken).map((line) => line.row_no);
  if (taken.length > 0)
    throw ruleBroken([`第 ${taken.join('、')} 行已提出异议`, `Row ${taken.join(', ')} is disputed already`]);
  const evidence = (input.evidence ?? []) as string[];
  await checkAttachable(tx, caller, 'evidence', evidence);
  await run(
    tx,
    `INSERT INTO statement_dispute (statement_id, line_id, round, reason_type, claimed, text, evidence_ids, created_by)
     SELECT $1, x, $3, $4, $5, $6, $7::uuid[], $8 FROM unnest($2::bigint[]) AS x`,
    [id, lines, row.round, input.reasonType, input.claimed ?? null, input.text, evidence, caller.staffId],
  );
  return {
    to: 'disputed',
    set: { window_stopped_at: row.window_stopped_at ?? new Date() },
    remark: `${lines.length} 行 / rows：${String(input.text)}`,
  };
}

/** Takes every open dispute back; the window goes on with the time that was left. */
export async function withdrawDispute({ tx, id, row }: ActionContext): Promise<ActionResult> {
  await run(
    tx,
    'UPDATE statement_dispute SET withdrawn_at = now() WHERE statement_id = $1 AND withdrawn_at IS NULL AND answer IS NULL',
    [id],
  );
  const stopped = row.window_stopped_at as Date | null;
  const ends = row.window_ends_at as Date | null;
  return {
    set: {
      window_stopped_at: null,
      ...(stopped && ends
        ? { window_ends_at: new Date(ends.getTime() + Date.now() - stopped.getTime()) }
        : {}),
    },
  };
}

/** The cashier has transferred the amount: with receipt and pictures the statement is settled. */
export function pay(context: ActionContext): Promise<ActionResult> {
  return payOffline(context, () => ['支付金额与结算金额不一致', 'Amount differs from the amount due']);
}

/** Queues the file of all rows of settled, or of not yet settled statements in the caller's scope. */
export async function exportLines({ tx, caller, facts, input }: ActionContext): Promise<ActionResult> {
  const taskId = await createExportTask(tx, caller, {
    source: statementLine.name,
    menu: statementLine.menu,
    name: statementLine.title,
    query: {
      settled: String(input.which === 'settled'),
      ...(input.period ? { happenedAt: `${String(input.period)}~` } : {}),
    },
    language: facts.language,
    element: exportElementOf(statementLine),
  });
  return { result: { taskId } };
}
