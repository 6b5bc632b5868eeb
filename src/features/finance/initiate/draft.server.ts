import { approvable } from '../../../domain/approval/approvable.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { openWindow, rebuild } from '../../../domain/settlement/life-cycle.server.ts';
import { hashOfRows, releaseRows, STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { settlementDraft } from './initiate.contract.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';
import { draftSight, SETTLEMENT, settlementApproval } from './settlement-approval.server.ts';

const SUBMITTED: Label = ['已提交，不能修改', 'Already submitted'];

const approval = approvable(SETTLEMENT, { waiting: 'in_review', passed: 'to_confirm', refused: 'draft' });

const ofDraft = (row: DbRow): Label | undefined => (row.state === 'draft' ? undefined : SUBMITTED);

const bound: BoundResource = bindResource(settlementDraft, {
  table: 'statement',
  entity: STATEMENT,
  from: `statement t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN staff k ON k.id = t.maker_id LEFT JOIN staff u ON u.id = t.submitter_id`,
  where: `t.state <> 'void'`,
  scope: PLATFORM_SCOPE('t.created_by'),
  search: 'lower(t.code)',
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    maker: { id: 't.maker_id', title: 'k.name' },
    submitter: { id: 't.submitter_id', title: 'u.name' },
    period: `to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD')`,
    days: `((now() AT TIME ZONE 'Asia/Shanghai')::date - (t.created_at AT TIME ZONE 'Asia/Shanghai')::date)`,
  },
  abilities: [approval.ability],
  ruleReads: [],
  rowRules: { submit: ofDraft, rebuild: ofDraft, void: ofDraft },
  handlers: {
    submit,
    rebuild,
    approve: async (context) => {
      const result = await approval.handlers.approve(context);
      return result.to === 'to_confirm' ? { ...result, ...(await passed(context)) } : result;
    },
    void: async ({ tx, id, input }) => {
      await releaseRows(tx, id);
      return { set: { void_reason: String(input.reason) }, remark: String(input.reason) };
    },
  },
  also: { approvals: [settlementApproval], sights: [draftSight] },
});

/** Drafts of statements. */
export const registration = bound.registration;

/** Freezes the rows; a large sum is approved first by somebody else. */
async function submit(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, facts } = context;
  const payable = Number(row.payable);
  const limit = await platform.settings.numberIn(tx, 'settle.approve_from', {
    tenantId: Number(row.tenant_id),
  });
  if (Math.abs(payable) < limit) return openWindow(context, caller.staffId);
  await submitApproval(
    tx,
    platform,
    {
      kind: SETTLEMENT,
      bizId: id,
      tenantId: caller.tenantId,
      title: [`结算单 ${String(row.code)}`, `Statement ${String(row.code)}`],
      summary: [
        { label: ['应付', 'Payable'], value: [yuanFromFen(payable), yuanFromFen(payable)] },
        { label: ['行数', 'Rows'], value: [String(row.row_count), String(row.row_count)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  await run(tx, 'UPDATE statement SET submitter_id = $2 WHERE id = $1', [id, caller.staffId]);
  return {
    to: 'in_review',
    set: { submitter_id: caller.staffId, submitted_at: new Date(), rows_hash: await hashOfRows(tx, id) },
  };
}

/** What passing writes besides. */
async function passed(context: ActionContext): Promise<Pick<ActionResult, 'set'>> {
  const { set } = await openWindow(context, Number(context.row.submitter_id));
  return { set: set! };
}
