import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { bookDecorationDeposit, decorationDepositSql } from '../../../domain/decoration/deposit.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';

const MENU = 'cs_decoreteApply';
/** Word of the approval engine. */
const KIND = 'deposit_return';
const AUDIT = `${MENU}:btn_depositAudit`;
const ENTITY = 'decorationApplication';

/** A return (`t`) stands where its application does. */
const SCOPE = residentScope(
  '(SELECT a.project_id FROM decoration_application a WHERE a.id = t.application_id)',
  't.created_by',
);

/** Returns as those read of them who see the application. */
export const depositReturnSight = listSight({
  entity: 'decorationDepositReturn',
  menu: MENU,
  table: 'decoration_deposit_return',
  scope: SCOPE,
});

interface ReturnRow {
  readonly id: number;
  readonly application_id: number;
  readonly amount: number;
  readonly payee: string;
  readonly reason: string;
  readonly code: string;
  readonly held: number;
}

const readReturn = (db: Executor, id: number) =>
  runOne<ReturnRow>(
    db,
    `SELECT r.id, r.application_id, r.amount, r.payee, r.reason, a.code, ${decorationDepositSql('a.id')} AS held
       FROM decoration_deposit_return r JOIN decoration_application a ON a.id = r.application_id WHERE r.id = $1`,
    [id],
  );

/** Deposits given back; whoever asked for it does not decide. Source: group 06, cs_decoreteApply. */
export const depositReturnApproval: ApprovalKind = {
  kind: KIND,
  label: ['装修押金退还', 'Decoration deposit returned'],
  entity: 'decorationDepositReturn',
  sights: { toDecide: depositReturnSight, outcome: depositReturnSight },
  moves: true,
  fields: [{ name: 'amount', label: ['退还金额（元）', 'Returned (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => ({ amount: ((await readReturn(db, bizId))?.amount ?? 0) / 100 }),
  snapshot: async (db, bizId) => {
    const row = (await readReturn(db, bizId))!;
    const said = (field: string, label: readonly [string, string], value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: ['押金退还', 'Deposit return'],
        values: [
          said('application', ['监理申请', 'Application'], row.code),
          said('held', ['押金余额', 'Held'], yuanFromFen(row.held)),
          said('amount', ['退还金额', 'Returned'], yuanFromFen(row.amount)),
          said('payee', ['收款人及账号', 'Payee'], row.payee),
          said('reason', ['说明', 'Note'], row.reason),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const sees = scopeCondition(caller, MENU, SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, a.code AS title FROM decoration_deposit_return t JOIN decoration_application a ON a.id = t.application_id WHERE ${sees} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/companymanager/${MENU}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

const EVENTS = {
  passed: ['押金已退还', 'Deposit returned'],
  refused: ['押金退还驳回', 'Return refused'],
  withdrawn: ['撤回押金退还', 'Return withdrawn'],
} as const;

async function end(outcome: ApprovalOutcome, state: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion } = outcome;
  const row = (await readReturn(tx, bizId))!;
  await run(tx, 'UPDATE decoration_deposit_return SET state = $2, ended_at = now() WHERE id = $1', [
    bizId,
    state,
  ]);
  if (state === 'passed')
    await bookDecorationDeposit(tx, {
      applicationId: row.application_id,
      move: 'return',
      amount: row.amount,
      reference: `return:${bizId}`,
      staffId: staffIdOf(caller) ?? undefined,
      note: row.payee,
    });
  await run(tx, 'UPDATE decoration_application SET version = version + 1, updated_at = now() WHERE id = $1', [
    row.application_id,
  ]);
  outcome.platform.changed(ENTITY);
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: ENTITY,
    entityId: row.application_id,
    ...by,
    action: 'depositReturn',
    label: EVENTS[state],
    remark: [yuanFromFen(row.amount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: MENU,
    action: `depositReturn.${state}`,
    entity: ENTITY,
    entityId: row.application_id,
    after: { amount: row.amount, opinion },
  });
}

/**
 * btn_depositReturn 退押金: the whole balance, some days after the works were done, handed in for approval. What was cancelled before
 * anybody began has nothing to wait for.
 */
export async function askReturn({
  tx,
  platform,
  caller,
  facts,
  id,
  row,
  input,
}: ActionContext): Promise<ActionResult> {
  const { held } = (await runOne<{ held: number }>(tx, `SELECT ${decorationDepositSql('$1')} AS held`, [
    id,
  ]))!;
  if (held <= 0) throw ruleBroken(['没有可退的押金', 'No deposit is left']);
  if (row.done_at) {
    const days = await platform.settings.numberIn(tx, 'deco.deposit_days', {
      projectId: Number(row.project_id),
      tenantId: Number(row.tenant_id),
    });
    const from = addDays(businessDayOf(row.done_at as Date), days);
    if (businessDayOf(new Date()) < from)
      throw ruleBroken([
        `完工满${days}天（${from}）后可退押金`,
        `From ${from}, ${days} days after the works were done`,
      ]);
  }
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO decoration_deposit_return (application_id, amount, payee, reason, created_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (application_id) WHERE state = 'waiting' DO NOTHING RETURNING id`,
    [id, held, input.payee, input.reason ?? '', staffIdOf(caller)],
  );
  if (!made) throw ruleBroken(['押金退还正在审批', 'Its return waits for approval already']);
  const amount = yuanFromFen(held);
  await submitApproval(
    tx,
    platform,
    {
      kind: KIND,
      bizId: made.id,
      tenantId: Number(row.tenant_id),
      projectId: Number(row.project_id),
      title: [`押金退还 ${String(row.code)}`, `Deposit return ${String(row.code)}`],
      summary: [
        { label: ['退还金额', 'Returned'], value: [`¥${amount}`, `¥${amount}`] },
        { label: ['收款人', 'Payee'], value: [String(input.payee), String(input.payee)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {
    to: String(row.state),
    event: ['提交押金退还审批', 'Return handed in for approval'],
    remark: amount,
  };
}
