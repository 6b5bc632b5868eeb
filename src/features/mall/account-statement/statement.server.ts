import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type RecordPrefix, type TodoKind } from '../../../kernel/server/registration.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import {
  autoConfirm,
  confirm,
  dispute,
  exportLines,
  pay,
  statementRules,
  withdrawDispute,
} from './statement-actions.server.ts';
import { addVouchers } from '../../../domain/settlement/life-cycle.server.ts';
import { autoDraft, statementInvariant, windowReminders } from './statement-jobs.server.ts';
import { SHOWN, statementScope, statementSight } from '../../../domain/statement/statement-scope.server.ts';
import { printedRows } from './printed-rows.server.ts';
import { statement } from './statement.contract.ts';

const ROOT = '/jinmao/web/statement';

/** Bills that wait for their merchant: the very rows of the tab it opens; overdue on the last day of the window. */
const toConfirm: TodoKind = {
  kind: 'statement_confirm',
  label: ['账单待确认', 'Bills to confirm'],
  menu: statement.menu,
  route: '/merchantManager/mm_accountStatement?tab=toConfirm',
  order: 30,
  count: async ({ caller, platform }) => {
    const parameters = new Parameters();
    const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
      platform.database.db,
      `SELECT count(*) AS count, min(t.submitted_at) AS oldest, count(*) FILTER (WHERE t.state = 'to_confirm' AND t.window_ends_at < now() + interval '1 day') AS overdue
         FROM statement t WHERE t.state IN ('to_confirm', 'disputed') AND ${scopeCondition(caller, statement.menu, statementScope('t'), parameters)}`,
      parameters.values,
    );
    return row!;
  },
};

/** ST numbers of the palette: whole, or the last six digits and more. */
const billPrefix: RecordPrefix = {
  prefix: 'ST',
  menu: statement.menu,
  label: statement.title,
  find: async ({ caller, platform }, number) => {
    const digits = number.replace(/\D/g, '');
    if (digits.length < 6) return [];
    const parameters = new Parameters();
    const rows = await run<{ id: number; code: string; title: string }>(
      platform.database.db,
      `SELECT t.id, t.code, m.name || ' ' || to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD') AS title
         FROM statement t JOIN tenant m ON m.id = t.tenant_id
        WHERE ${SHOWN('t')} AND t.code LIKE ${parameters.bind(`ST%${digits}`)} AND ${scopeCondition(caller, statement.menu, statementScope('t'), parameters)}
        ORDER BY t.id DESC LIMIT 10`,
      parameters.values,
    );
    return rows.map((row) => ({
      code: row.code,
      title: row.title,
      route: `/merchantManager/mm_accountStatement/${row.id}`,
    }));
  },
};

const bound: BoundResource = bindResource(statement, {
  table: 'statement',
  from: 'statement t LEFT JOIN tenant m ON m.id = t.tenant_id',
  where: SHOWN('t'),
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    contactName: 'm.contact_name',
    contactPhone: 'm.contact_phone',
    period: `to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD')`,
    payee: `trim(t.payee_name || ' ' || t.payee_bank || CASE WHEN t.payee_tail <> '' THEN ' ****' || t.payee_tail ELSE '' END)`,
    noPayment: `(t.state = 'settled' AND t.pay_amount = 0)`,
    receiptNo: `nullif(t.receipt_no, '')`,
    paidTo: `nullif(t.paid_to, '')`,
    vouchers: 't.voucher_ids::text[]',
  },
  links: {
    projects: {
      table: 'statement_project',
      own: 'statement_id',
      other: 'project_id',
      to: 'project',
    },
  },
  writes: { lines: false, rowsHash: false, vouchers: false, evidence: false },
  scope: statementScope('t'),
  search: 'lower(t.code)',
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM statement_project x WHERE x.statement_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    receiptNo: (value, parameters) => `t.receipt_no = ${parameters.bind(value.trim())}`,
  },
  extra: {
    makerId: 't.maker_id',
    submitterId: 't.submitter_id',
    windowOver: `(t.state = 'to_confirm' AND t.window_ends_at <= now())`,
  },
  ruleReads: ['makerId', 'submitterId', 'windowOver', 'noPayment'],
  rowRules: statementRules,
  handlers: {
    confirm,
    autoConfirm,
    dispute,
    withdrawDispute,
    pay,
    voucher: addVouchers,
    exportLines,
  },
  unique: {
    statement_receipt_once: ['该回单号已用于其他账单', 'The receipt no. stands on another bill'],
    statement_dispute_once: ['该明细已提出异议', 'The row is disputed already'],
  },
  present: showVouchers,
  detail: async (db, id) => ({ disputes: await disputesOf(db, id), totals: await totalsOf(db, id) }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/print`,
      title: ['打印账单', 'Print a bill'],
      access: { code: `${statement.menu}:btn_pdf` },
      handle: async (call) => {
        const id = idOf(call.params.id);
        return { bill: await bound.detail(call, id), rows: await printedRows(call.platform.database.db, id) };
      },
    }),
  ],
  also: {
    sights: [statementSight],
    todos: [toConfirm],
    prefixes: [billPrefix],
    invariants: [statementInvariant],
    jobs: [
      autoDraft,
      windowReminders,
      dueJob(() => bound, {
        name: 'settle.auto_confirm',
        title: ['账单到期自动确认', 'Confirm bills whose window ended'],
        cron: '*/10 * * * *',
        action: 'autoConfirm',
        when: 't.window_ends_at <= now()',
      }),
    ],
  },
});

/** Statements as merchants and the cashier see them. */
export const registration = bound.registration;

async function showVouchers(rows: DbRow[], db: Executor): Promise<void> {
  const files = await filesById(
    db,
    rows.flatMap((row) => (row.vouchers as string[] | undefined) ?? []),
  );
  for (const row of rows)
    if (row.vouchers) row.vouchers = (row.vouchers as string[]).flatMap((id) => files.get(id) ?? []);
}

/** Disputes with their answers, newest first. */
async function disputesOf(db: Executor, id: number): Promise<unknown[]> {
  const rows = await run<DbRow>(
    db,
    `SELECT d.id, l.row_no, l.title, l.net, d.round, d.reason_type, d.claimed, d.text, d.evidence_ids::text[] AS evidence, d.created_at,
            coalesce(w.name, '') AS who, d.withdrawn_at IS NOT NULL AS withdrawn, d.answer, d.answer_text, d.answered_at
       FROM statement_dispute d JOIN statement_line l ON l.id = d.line_id LEFT JOIN staff w ON w.id = d.created_by
      WHERE d.statement_id = $1 ORDER BY d.id DESC`,
    [id],
  );
  const files = await filesById(
    db,
    rows.flatMap((row) => row.evidence as string[]),
  );
  return rows.map((row) => ({
    id: String(row.id),
    rowNo: row.row_no,
    title: row.title,
    round: row.round,
    reasonType: row.reason_type,
    claimed: row.claimed === null ? null : yuanFromFen(row.claimed as number),
    net: yuanFromFen(row.net as number),
    text: row.text,
    evidence: (row.evidence as string[]).flatMap((one) => files.get(one) ?? []),
    at: isoInstant(row.created_at as Date),
    who: row.who,
    withdrawn: row.withdrawn,
    answer: row.answer,
    answerText: row.answer_text,
    answeredAt: row.answered_at === null ? null : isoInstant(row.answered_at as Date),
  }));
}

/** Sums of the rows themselves: of all, and of what was sold. */
async function totalsOf(db: Executor, id: number): Promise<unknown> {
  const sums = `count(*)::integer AS rows, coalesce(sum(qty), 0)::integer AS qty, coalesce(sum(cash), 0)::bigint AS cash, coalesce(sum(subsidy), 0)::bigint AS subsidy,
    coalesce(sum(commission), 0)::bigint AS commission, coalesce(sum(channel_fee), 0)::bigint AS "channelFee", coalesce(sum(net), 0)::bigint AS net`;
  const of = async (where: string) => {
    const row = (await runOne<Record<string, number>>(
      db,
      `SELECT ${sums} FROM statement_line WHERE statement_id = $1 AND active AND ${where}`,
      [id],
    ))!;
    const { rows, qty, ...amounts } = row;
    return {
      rows,
      qty,
      ...Object.fromEntries(Object.entries(amounts).map(([name, fen]) => [name, yuanFromFen(fen)])),
    };
  };
  return { all: await of('TRUE'), completed: await of(`row_kind IN ('sale', 'freight')`) };
}
