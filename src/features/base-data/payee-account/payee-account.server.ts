import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound, ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { approversSql, decideApproval, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import {
  PAYEE_MENU,
  PAYEE_SCOPE,
  payeeSight,
  uncoveredSight,
} from '../../../domain/payee/payee-alert.server.ts';
import { BUSINESS_TYPES, type PayeeChannel } from '../../../domain/payee/payee.rules.ts';
import { putSecrets, readSecret, secretMarks } from '../../../domain/payee/payee-secret.server.ts';
import { resolvePayee } from '../../../domain/payee/resolve-payee.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { payeeApproval } from './payee-approval.server.ts';
import { changeSight, INVOLVED } from './payee-approvers.server.ts';
import { PAYEE_APPROVAL, propose } from './payee-change-commands.server.ts';
import { projectsLeftWithout } from './payee-coverage.server.ts';
import { readAccountData, type AccountData } from './payee-data.server.ts';
import { payeeJobs, payeeTodos } from './payee-jobs.server.ts';
import { objectOptions, ownerOptions } from './payee-objects.server.ts';
import { confirmTest, startTest, testEffects, testEndpoints } from './payee-test-run.server.ts';

/** SQL: the change of an account `t` that waits. */
export const OPEN = `(SELECT c.id FROM payee_change c WHERE c.account_id = t.id AND c.state = 'in_review')`;
const OWN_CHANGE: Label = ['不能审批自己提交的变更', 'You cannot approve your own change'];
const NOTHING_WAITS: Label = ['没有待审批的变更', 'Nothing waits for approval'];
const NOT_YOURS: Label = ['该审批不由您处理', 'This approval is not yours to decide'];
/** Why nothing else may change meanwhile. */
export const WAITS: Label = [
  '有待审批的变更，请先处理或撤回',
  'A change waits for approval: have it decided or take it back',
];
/** Reveals of personal data and of account numbers together. Source: ground rules section 5. */
const REVEALS_PER_HOUR = 60;

const bound: BoundResource = bindResource(payeeAccount, {
  table: 'payee_account',
  where: `t.purpose = 'collect'`,
  joins: { owner: { table: 'tenant', column: 'tenant_id' } },
  columns: {
    number: `CASE WHEN t.number_tail = '' THEN '' ELSE '****' || t.number_tail END`,
    appId: `coalesce(t.app_ids->>'default', '')`,
    certificateExpiresAt: 't.certificate_expires_on',
    expiring: `coalesce(t.certificate_expires_on <= now() + interval '30 days' AND t.state IN ('active', 'expired'), false)`,
    neverTested: '(t.tested_at IS NULL AND NOT t.built_in)',
    feeRate: 'round(t.fee_ppm / 1000.0, 2)',
    assignmentCount: `(SELECT count(*)::int FROM payee_assignment g WHERE g.account_id = t.id AND g.state IN ('active', 'in_review'))`,
    receivedMonth: `(SELECT coalesce(sum(f.amount), 0)::bigint FROM payee_flow f WHERE f.account_id = t.id
       AND f.at >= date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai')`,
    pendingChange: `(${OPEN} IS NOT NULL)`,
  },
  writes: { feeRate: false, appId: false },
  scope: PAYEE_SCOPE,
  search: 't.search',
  optionNote: 't.code',
  usedBy: {
    payment: ['付款', 'Payment'],
    payee_secret: false,
    payee_change: false,
    payee_test: ['测试', 'Test'],
  },
  unique: {
    payee_change_open: ['已有待审批的变更', 'A change waits for approval already'],
  },
  extra: {
    changeId: OPEN,
    involved: `(SELECT ${INVOLVED} FROM payee_change c WHERE c.account_id = t.id AND c.state = 'in_review')`,
    proposerId: `(SELECT c.proposer_id FROM payee_change c WHERE c.account_id = t.id AND c.state = 'in_review')`,
    approvers: approversSql(PAYEE_APPROVAL, OPEN),
  },
  ruleReads: ['changeId', 'involved', 'proposerId', 'approvers', 'channel', 'state'],
  rowRules: {
    update: (row) => (row.changeId ? WAITS : undefined),
    cert: (row) =>
      row.changeId
        ? WAITS
        : row.channel === 'wechat'
          ? undefined
          : ['该渠道没有证书', 'This channel has no certificate'],
    submit: (row) => (row.changeId ? WAITS : undefined),
    stop: (row) => (row.changeId ? WAITS : undefined),
    forceStop: (row) => (row.changeId ? WAITS : undefined),
    approve: decisionProblem,
    reject: decisionProblem,
    withdraw: (row, caller) =>
      !row.changeId
        ? NOTHING_WAITS
        : Number(row.proposerId) === caller.staffId
          ? undefined
          : ['只有提交人可以撤回', 'Only who proposed it may take it back'],
    test: (row) =>
      row.channel === 'bank'
        ? ['银行账户请登记回单确认', 'Confirm a bank account with its receipt']
        : undefined,
    confirmTest: (row) =>
      row.channel === 'bank' ? undefined : ['该渠道请用付款测试', 'Test this channel with a payment'],
  },
  handlers: {
    create: async (context) => {
      const data = await readAccountData(context);
      dataOf.set(context, data);
      return { set: { ...data.columns, edited_by: context.caller.staffId }, to: 'draft' };
    },
    update: changeAccount,
    cert: changeAccount,
    submit: async (context) => {
      const { row, id } = context;
      await propose(context, {
        accountId: id,
        kind: row.state === 'stopped' ? 'reopen' : 'open',
        changes: [{ field: 'state', before: row.state, after: 'active' }],
      });
    },
    withdraw: (context) => decide(context, 'withdrawn'),
    approve: (context) => decide(context, 'approved'),
    reject: (context) => decide(context, 'rejected'),
    stop: async (context) => {
      const names = await projectsLeftWithout(context.tx, {
        id: context.id,
        channel: context.row.channel as PayeeChannel,
      });
      if (names.length > 0)
        throw ruleBroken([
          `停用后以下项目将无法收款：${listed(names, '、', '等')}`,
          `These projects could no longer be paid: ${listed(names, ', ', 'and others')}`,
        ]);
      return stopped(context);
    },
    forceStop: async (context) => stopped(context),
    test: startTest,
    confirmTest,
  },
  after: [
    async (context, id) => {
      const data = dataOf.get(context);
      if (context.action !== 'create' || !data) return [];
      await putSecrets(context.tx, context.platform, { accountId: id }, data.secrets);
      return [];
    },
  ],
  detail: async (db, id) => ({
    secrets: (await secretMarks(db, id)).map((mark) => ({
      kind: mark.kind,
      tail: mark.tail,
      setAt: mark.set_at.toISOString(),
    })),
    change:
      (await runOne(
        db,
        `SELECT c.id::text, c.code, c.kind, c.changes, s.name AS proposer FROM payee_change c JOIN staff s ON s.id = c.proposer_id WHERE c.account_id = $1 AND c.state = 'in_review'`,
        [id],
      )) ?? null,
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/payeeAccount/resolve',
      title: ['试算收款账户', 'Which account'],
      access: { code: PAYEE_MENU },
      query: z.strictObject({
        projectId: z.string().regex(/^\d{1,15}$/),
        businessType: z.enum(Object.keys(BUSINESS_TYPES) as [keyof typeof BUSINESS_TYPES]),
        channel: z.enum(['alipay', 'wechat', 'bank']),
        time: z.iso.datetime({ offset: true }).optional(),
      }),
      handle: async (call) => {
        const { projectId, businessType, channel, time } = call.query;
        requireProjectsInReach(call.caller, [Number(projectId)]);
        const { db } = call.platform.database;
        const project = await runOne(db, 'SELECT 1 FROM project WHERE id = $1', [Number(projectId)]);
        if (!project) throw notFound();
        const found = await resolvePayee(db, {
          projectId: Number(projectId),
          businessType,
          channel,
          ...(time ? { time: new Date(time) } : {}),
        });
        const seen = await accountsInSight(
          call.caller,
          call.platform.database.db,
          found.candidates.map((one) => one.accountId),
        );
        const text = (id: number | null) => (id === null ? null : String(id));
        return {
          accountId: text(found.accountId),
          matchedLevel: found.matchedLevel,
          candidates: found.candidates.map((one) => ({
            accountId: text(one.accountId),
            // An account of somebody else that applies here is named, not opened.
            accountCode: one.accountCode,
            accountName: one.accountName,
            visible: seen.has(one.accountId),
            level: one.level,
            object: one.object,
            businessType: one.businessType,
            assignmentId: text(one.assignmentId),
            reason: one.reason,
          })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/payeeAccount/:id/reveal',
      title: ['查看账号', 'Reveal number'],
      access: { code: `${PAYEE_MENU}:btn_reveal` },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const number = await transaction(db, async (tx) => {
          await run(tx, 'SELECT pg_advisory_xact_lock(7001, $1::int)', [call.caller.staffId % 2_000_000_000]);
          const used = await runOne<{ n: number }>(
            tx,
            `SELECT count(*) AS n FROM audit_record WHERE staff_id = $1 AND action = 'reveal' AND at > clock_timestamp() - interval '1 hour'`,
            [call.caller.staffId],
          );
          if (used!.n >= REVEALS_PER_HOUR)
            throw tooMany(
              [`每小时最多查看${REVEALS_PER_HOUR}次`, `At most ${REVEALS_PER_HOUR} reveals an hour`],
              3600,
            );
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: PAYEE_MENU,
            action: 'reveal',
            entity: 'payeeAccount',
            entityId: id,
            after: { fields: ['number'] },
          });
          return readSecret(tx, call.platform, id, 'number');
        });
        call.reply.header('Cache-Control', 'no-store');
        return { number: number ?? null };
      },
    }),
    ...testEndpoints((call, id) => bound.find(call, id)),
  ],
  also: {
    approvals: [payeeApproval],
    sights: [payeeSight, changeSight, uncoveredSight],
    options: [objectOptions, ownerOptions],
    effects: testEffects,
    jobs: payeeJobs(() => bound),
    todos: payeeTodos((call, filters) => bound.count(call, { searchVal: '', tab: undefined, filters })),
  },
});

/** Payee accounts. */
export const registration = bound.registration;
/** The engine's functions of accounts, for the assignments beside it. */
export const payeeAccounts = bound;

// Between handler and after hook of one call: the row has no id before.
const dataOf = new WeakMap<ActionContext, AccountData>();

function decisionProblem(row: DbRow, caller: Caller): Label | undefined {
  if (!row.changeId) return NOTHING_WAITS;
  if ((row.involved as readonly number[] | null)?.map(Number).includes(caller.staffId)) return OWN_CHANGE;
  return (row.approvers as readonly number[] | null)?.map(Number).includes(caller.staffId)
    ? undefined
    : NOT_YOURS;
}

/** New data: written at once while the account was never in use, else a request that leaves it as it is until approved. */
export async function changeAccount(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, id, caller, columns } = context;
  const data = await readAccountData(context);
  for (const column of Object.keys(columns)) delete columns[column];
  if (row.state === 'draft' || row.state === 'rejected') {
    await putSecrets(tx, platform, { accountId: id }, data.secrets);
    return {
      to: 'draft',
      set: {
        ...data.columns,
        edited_by: caller.staffId,
        ...(data.credentials ? { tested_at: null } : {}),
      },
      // What the columns of the row do not tell by themselves.
      changes: data.changes.filter((one) => !TOLD_BY_COLUMN.has(one.field)),
      result: { proposed: false },
    };
  }
  if (data.changes.length === 0) return { to: String(row.state), result: { proposed: false } };
  await propose(context, {
    accountId: id,
    kind: context.action === 'cert' ? 'certificate' : 'data',
    changes: data.changes,
    columns: data.columns,
    secrets: data.secrets,
    needsTest: data.credentials,
  });
  return {
    to: String(row.state),
    event: ['提交变更', 'Change proposed'],
    remark: data.changes.map((one) => one.field).join(', '),
    result: { proposed: true },
  };
}

const TOLD_BY_COLUMN = new Set([
  'name',
  'accountName',
  'bank',
  'branch',
  'bankLineNo',
  'feeBearer',
  'feeRefundable',
  'certificateSerial',
]);

async function decide(
  context: ActionContext,
  decision: 'approved' | 'rejected' | 'withdrawn',
): Promise<ActionResult> {
  const { tx, platform, id, caller, facts, input } = context;
  const open = await runOne<{ id: number; code: string; changes: [] }>(
    tx,
    `SELECT id, code, changes FROM payee_change WHERE account_id = $1 AND state = 'in_review'`,
    [id],
  );
  if (!open) throw ruleBroken(NOTHING_WAITS);
  const opinion = String(input.opinion ?? input.reason ?? '');
  const step = {
    kind: PAYEE_APPROVAL,
    bizId: open.id,
    caller,
    facts,
    opinion,
    insideAction: true,
  };
  let passed = false;
  if (decision === 'withdrawn') await withdrawApproval(tx, platform, step);
  else
    passed =
      (await decideApproval(tx, platform, { ...step, approved: decision === 'approved' })) === 'passed';
  const after = await runOne<{ state: string }>(tx, 'SELECT state FROM payee_account WHERE id = $1', [id]);
  return {
    to: after!.state,
    remark: [open.code, opinion].filter(Boolean).join(' · '),
    ...(passed ? { changes: open.changes } : {}),
  };
}

async function stopped({ input, row }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  return {
    remark: reason,
    set: { stop_reason: reason, ...(row.mall_enabled ? { mall_enabled: false, is_pay_in_mall: false } : {}) },
  };
}

function listed(names: readonly string[], between: string, more: string): string {
  return names.length <= 10 ? names.join(between) : `${names.slice(0, 10).join(between)} ${more}`;
}

async function accountsInSight(
  caller: Caller,
  db: ActionContext['tx'] | Parameters<typeof run>[0],
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (caller.tenantKind === 3) return new Set(ids);
  const rows = await run<{ id: number }>(
    db,
    'SELECT id FROM payee_account WHERE id = ANY($1::bigint[]) AND tenant_id = $2',
    [ids, caller.tenantId],
  );
  return new Set(rows.map((row) => row.id));
}
