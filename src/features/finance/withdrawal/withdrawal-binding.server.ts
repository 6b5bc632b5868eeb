import {
  bookWithdrawalBack,
  WITHDRAWAL,
  withdrawalOf,
} from '../../../domain/settlement/withdrawal.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { IN_BATCH, makeBatch, REVIEWED } from '../settlement/make-batch.server.ts';
import { review } from './withdrawal-approval.server.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

const PLATFORM: Label = ['仅平台财务可以操作', 'Only the finance desk of the platform does this'];

function payable(row: DbRow, caller: Caller): Label | undefined {
  if (caller.tenantKind !== 3) return PLATFORM;
  if (row.live) return IN_BATCH;
  return Number(row.reviewerId) === caller.staffId ? REVIEWED : undefined;
}

/** How withdrawals stand in the database, under whichever menu. */
export const withdrawalBinding: Binding = {
  table: 'withdrawal',
  entity: WITHDRAWAL,
  from: `withdrawal t LEFT JOIN tenant m ON m.id = t.tenant_id
    LEFT JOIN LATERAL (SELECT x.payout_no, x.state, x.channel_message FROM payout x WHERE x.withdrawal_id = t.id ORDER BY x.id DESC LIMIT 1) p ON true`,
  scope: OF_MERCHANT,
  search: 'lower(t.code)',
  joins: {
    applicant: 'staff',
    reviewer: 'staff',
    payer: 'staff',
  },
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    payee: `trim(t.payee_name || ' ' || t.payee_bank || CASE WHEN t.payee_tail <> '' THEN ' ****' || t.payee_tail ELSE '' END)`,
    opinion: `nullif(t.opinion, '')`,
    payoutNo: 'p.payout_no',
    failure: `(CASE WHEN t.state = 'failed' THEN nullif(p.channel_message, '') END)`,
  },
  extra: {
    applicantId: 't.applicant_id',
    reviewerId: 't.reviewer_id',
    live: `coalesce(p.state NOT IN ('failed', 'cancelled'), false)`,
  },
  ruleReads: ['applicantId', 'reviewerId', 'live'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.applicantId) === caller.staffId
        ? undefined
        : ['只有提交人可以撤销', 'Only who submitted it may withdraw it'],
    pay: payable,
    giveUp: payable,
  },
  abilities: [review.ability],
  sets: { paid: { paid_at: NOW } },
  handlers: {
    pay: async ({ tx, id, caller, platform }: ActionContext): Promise<ActionResult> => {
      const batch = await makeBatch(tx, caller, { withdrawals: [id] }, '');
      platform.changed('payoutBatch');
      return { remark: batch.code, result: { batch: batch.code } };
    },
    giveUp: async ({ tx, id, input }: ActionContext): Promise<ActionResult> => {
      await bookWithdrawalBack(tx, await withdrawalOf(tx, id));
      return { remark: String(input.reason) };
    },
  },
};
