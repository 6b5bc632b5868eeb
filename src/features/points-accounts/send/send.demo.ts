import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import {
  holdBudget,
  loadBudget,
  lockBudget,
  openBudgetAccounts,
} from '../../../domain/points-ledger/points-budget.server.ts';
import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { recallMany } from '../../../domain/points-ledger/points-many.server.ts';
import { GRANT_APPROVAL } from './send-approval.server.ts';
import { lineSource } from './send-run.server.ts';
import { pointsGrantBatch } from './send.contract.ts';

const DAY = 86_400_000;

interface Batch {
  readonly name: string;
  readonly reason: 'event' | 'compensation' | 'festive' | 'correction';
  readonly text: string;
  readonly state: 'draft' | 'reviewing' | 'to_send' | 'sent' | 'recalled' | 'cancelled';
  readonly daysAgo: number;
  readonly people: number;
  readonly points: number;
}

const BATCHES: readonly Batch[] = [
  {
    name: '重阳节长者关怀',
    reason: 'festive',
    text: '60 岁以上业主',
    state: 'sent',
    daysAgo: 34,
    people: 24,
    points: 200,
  },
  {
    name: '秋季运动会奖励',
    reason: 'event',
    text: '参赛会员',
    state: 'sent',
    daysAgo: 20,
    people: 40,
    points: 300,
  },
  {
    name: '电梯停运补偿',
    reason: 'compensation',
    text: '停运 3 天',
    state: 'sent',
    daysAgo: 12,
    people: 18,
    points: 150,
  },
  {
    name: '签到差错更正',
    reason: 'correction',
    text: '误发，已撤回',
    state: 'recalled',
    daysAgo: 9,
    people: 8,
    points: 50,
  },
  {
    name: '双十一活动追加',
    reason: 'event',
    text: '活动取消',
    state: 'cancelled',
    daysAgo: 8,
    people: 0,
    points: 20,
  },
  {
    name: '冬至暖心积分',
    reason: 'festive',
    text: '全体业主',
    state: 'reviewing',
    daysAgo: 1,
    people: 60,
    points: 500,
  },
  {
    name: '志愿者月度奖励',
    reason: 'event',
    text: '11 月志愿服务',
    state: 'to_send',
    daysAgo: 0.5,
    people: 12,
    points: 100,
  },
  {
    name: '新年集福活动',
    reason: 'festive',
    text: '待确定名单',
    state: 'draft',
    daysAgo: 0.1,
    people: 0,
    points: 88,
  },
];

/** Budgets of the platform and a company, and batches in their states, given through the ledger. */
export const demo = defineDemo({
  key: 'pointsBatches',
  after: ['pointsAccounts'],
  run: async ({ tx, platform, insert, tell, now, as, base }) => {
    const author = as('finance1');
    const approver = as('finance2');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const budget = async (code: string, name: string, tenantId: number | null, loaded: number) => {
      const { id } = (await runOne<{ id: number }>(
        tx,
        `SELECT nextval(pg_get_serial_sequence('points_budget', 'id'))::bigint AS id`,
      ))!;
      const { accountId, holdAccountId } = await openBudgetAccounts(tx, id);
      await insert('points_budget', [
        {
          id,
          code,
          name,
          tenant_id: tenantId,
          year: now.getFullYear(),
          account_id: accountId,
          hold_account_id: holdAccountId,
          created_at: at(100),
          created_by: author.staffId,
        },
      ]);
      const [change] = await insert('points_budget_change', [
        {
          code: `PLD${code.slice(2)}`,
          budget_id: id,
          amount: loaded,
          reason: '年度预算下达',
          state: 'booked',
          created_at: at(99),
          created_by: author.staffId,
        },
      ]);
      await loadBudget(tx, { budgetId: id, amount: loaded, reference: String(change), at: at(99) });
      return id;
    };
    const festive = await budget('PB0002', '社区活动积分', null, 60_000);
    const company = [...base.tenants.entries()].find(([account]) => account.startsWith('C'))?.[1];
    if (company) await budget('PB0003', '物业公司关怀积分', company, 20_000);
    const members = await membersQuietSince(tx, at(35), 70);
    const projects = await run<{ id: number }>(tx, 'SELECT id FROM project ORDER BY id LIMIT 2');
    for (const [index, one] of BATCHES.entries()) {
      const made = at(one.daysAgo);
      const people = members.slice(0, one.people);
      const total = one.people * one.points;
      const sent = one.state === 'sent' || one.state === 'recalled';
      const submitted = sent || one.state === 'reviewing' || one.state === 'to_send';
      const [id] = await insert('points_grant_batch', [
        {
          code: `PGD${String(index + 1).padStart(5, '0')}`,
          tenant_id: author.tenantId,
          name: one.name,
          budget_id: festive,
          reason_code: one.reason,
          reason_text: one.text,
          audience: 'filter',
          project_ids: projects.map((project) => project.id),
          points: one.points,
          send_at: one.state === 'to_send' ? new Date(now.getTime() + 2 * DAY) : null,
          members: people.length,
          total,
          state: one.state,
          submitted_by: submitted ? author.staffId : null,
          submitted_at: submitted ? made : null,
          approved_by: sent && total > 5_000 ? approver.staffId : null,
          sent_at: sent ? new Date(made.getTime() + 7_200_000) : null,
          recall_reason: one.state === 'recalled' ? '规则理解有误，名单重复' : '',
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const lines = await insert(
        'points_grant_line',
        people.map((member, n) => ({
          batch_id: id,
          row_no: n + 1,
          member_id: member.id,
          points: one.points,
        })),
      );
      const source = (purpose: string) => ({ type: 'points_grant_batch', id: String(id), purpose });
      if (submitted && total > 0)
        await holdBudget(tx, { budgetId: festive, amount: total, source: source('hold:demo') });
      const transfers: number[] = [];
      if (sent)
        for (const [n, line] of lines.entries()) {
          const granted = await grantPoints(tx, platform.settings, {
            memberId: people[n]!.id,
            amount: one.points,
            source: lineSource(line),
            kind: LINE_KINDS.staff,
            budgetId: festive,
            fromHold: true,
            staffId: author.staffId,
            note: one.name,
            at: new Date(made.getTime() + 7_200_000),
          });
          transfers.push(granted.transferId);
          await run(
            tx,
            `UPDATE points_grant_line SET state = 'sent', transfer_id = $2, done_at = $3 WHERE id = $1`,
            [line, granted.transferId, new Date(made.getTime() + 7_200_000)],
          );
        }
      if (one.state === 'recalled') {
        const { accountId } = await lockBudget(tx, festive);
        const back = await recallMany(
          tx,
          { budgetAccountId: accountId, note: '', at: at(one.daysAgo - 1) },
          lines.map((line, n) => ({
            memberId: people[n]!.id,
            grantId: transfers[n]!,
            source: { ...lineSource(line), purpose: 'recall' },
          })),
        );
        for (const [n, line] of lines.entries())
          await run(tx, `UPDATE points_grant_line SET state = 'recalled', recalled = $2 WHERE id = $1`, [
            line,
            back[n],
          ]);
      }
      const { create, submit, cancel, approve, finish, recall } = pointsGrantBatch.actions!;
      const told = { entity: 'pointsGrantBatch', entityId: id!, caller: author };
      const after = (hours: number) => new Date(made.getTime() + hours * 3_600_000);
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: made });
      if (one.state === 'cancelled')
        await tell({
          ...told,
          action: 'cancel',
          label: cancel.label,
          from: 'draft',
          to: 'cancelled',
          at: after(1),
        });
      if (!submitted) continue;
      const review = total > 5_000;
      await tell({
        ...told,
        action: 'submit',
        label: submit.label,
        from: 'draft',
        to: review ? 'reviewing' : 'to_send',
        at: after(0.5),
      });
      if (one.state === 'reviewing')
        await submitApproval(tx, platform, {
          kind: GRANT_APPROVAL,
          bizId: id!,
          tenantId: author.tenantId,
          title: [`积分发放 ${one.name}`, `Points granted: ${one.name}`],
          summary: [{ label: ['总积分', 'Total'], value: [String(total), String(total)] }],
          starterId: author.staffId,
          at: after(0.5),
        });
      if (review && sent)
        await tell({
          ...told,
          caller: approver,
          action: 'approve',
          label: approve.label,
          from: 'reviewing',
          to: 'to_send',
          at: after(1),
        });
      if (sent)
        await tell({
          ...told,
          caller: undefined,
          action: 'finish',
          label: finish.label,
          from: 'sending',
          to: 'sent',
          at: after(2),
        });
      if (one.state === 'recalled')
        await tell({
          ...told,
          action: 'recall',
          label: recall.label,
          from: 'sent',
          to: 'recalled',
          remark: '规则理解有误，名单重复',
          at: after(24),
        });
    }
  },
});
