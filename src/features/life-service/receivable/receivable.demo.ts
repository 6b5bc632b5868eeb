import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { confirmReceipt } from '../../../domain/receivable/receipt.server.ts';
import { businessDayOf, addDays } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { receipt } from '../receipt/receipt.contract.ts';
import { receivable } from './receivable.contract.ts';

const DAY = 86_400_000;

interface Line {
  /** Days from today: posted and due. */
  readonly posted: number;
  readonly due: number;
  readonly principal: number;
  readonly interest?: number;
  readonly promised?: number;
  readonly disputed?: string;
  readonly end?: 'void' | 'written_off';
  readonly remark: string;
}

interface Payer {
  /** Name of a payer who is no member. */
  readonly name?: string;
  readonly project: number;
  readonly lines: readonly Line[];
  /** What came in: days from today, fen, how, and whether it is still to be confirmed or was refused. */
  readonly receipts: readonly {
    readonly at: number;
    readonly amount: number;
    readonly method: 'cash' | 'transfer' | 'pos' | 'wechat';
    readonly state?: 'to_confirm' | 'rejected';
    readonly bank?: string;
  }[];
}

const PAYERS: readonly Payer[] = [
  {
    project: 0,
    lines: [
      { posted: -75, due: -60, principal: 33_334, interest: 320, remark: '保洁年卡 第 1 期' },
      { posted: -75, due: -30, principal: 33_333, remark: '保洁年卡 第 2 期' },
      { posted: -75, due: 1, principal: 33_333, remark: '保洁年卡 第 3 期' },
    ],
    receipts: [{ at: -40, amount: 50_000, method: 'wechat' }],
  },
  {
    name: '锦绣里便利店',
    project: 0,
    lines: [
      { posted: -130, due: -125, principal: 480_000, promised: -3, remark: '外摆场地使用费' },
      { posted: -40, due: -35, principal: 480_000, interest: 4_200, remark: '外摆场地使用费' },
      { posted: -5, due: 12, principal: 480_000, remark: '外摆场地使用费' },
    ],
    receipts: [
      { at: -20, amount: 480_000, method: 'transfer', bank: '招商银行' },
      { at: -1, amount: 300_000, method: 'transfer', bank: '招商银行', state: 'to_confirm' },
    ],
  },
  {
    name: '清风空调服务部',
    project: 1,
    lines: [
      { posted: -20, due: -14, principal: 120_000, disputed: '对工时有异议，待核对', remark: '材料代购' },
      { posted: -2, due: 20, principal: 36_000, promised: 18, remark: '工具押金' },
    ],
    receipts: [{ at: -1, amount: 36_000, method: 'cash', state: 'to_confirm' }],
  },
  {
    project: 2,
    lines: [
      { posted: -400, due: -390, principal: 80_000, end: 'written_off', remark: '搬离后无法联系' },
      { posted: -10, due: 5, principal: 15_000, end: 'void', remark: '录入有误' },
    ],
    receipts: [],
  },
  {
    project: 1,
    lines: [{ posted: -30, due: -20, principal: 66_000, remark: '家电清洗套餐' }],
    receipts: [
      { at: -18, amount: 70_000, method: 'pos' },
      { at: -4, amount: 12_000, method: 'cash', state: 'rejected' },
    ],
  },
];

/** Debts in every state and age, with what came in for them. */
export const demo = defineDemo({
  key: 'receivables',
  run: async ({ tx, insert, tell, now, base, as }) => {
    const clerk = as('mall1');
    const head = as('finance1');
    const today = businessDayOf(now);
    const at = (days: number, hour = 10) =>
      new Date(Math.min(now.getTime() - 60_000, now.getTime() + days * DAY - (12 - hour) * 3_600_000));
    const members = await run<{ id: number; name: string }>(
      tx,
      'SELECT id, name FROM member ORDER BY id OFFSET 30 LIMIT 10',
    );
    const reasons = await run<{ id: number }>(
      tx,
      `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'receivable_reason' AND v.parent_id IS NOT NULL ORDER BY v.view_sort`,
    );
    let codes = 0;
    let receipts = 0;
    for (const [index, who] of PAYERS.entries()) {
      const payer = await payerOf(tx, who.name ? { name: who.name } : { memberId: members[index]!.id });
      const project = base.projects[who.project]!.id;
      const ids: number[] = [];
      for (const line of who.lines) {
        codes++;
        const [id] = await insert('receivable', [
          {
            code: `ARD${String(codes).padStart(5, '0')}`,
            source_kind: 'manual',
            payer_id: payer,
            project_id: project,
            posted_on: addDays(today, line.posted),
            due_on: addDays(today, line.due),
            principal: line.principal,
            charges: line.interest ?? 0,
            state: line.end ?? 'open',
            reason_id: reasons[codes % reasons.length]!.id,
            remark: line.remark,
            owner_id: clerk.staffId,
            promised_on: line.promised === undefined ? null : addDays(today, line.promised),
            disputed: line.disputed !== undefined,
            dispute_note: line.disputed ?? '',
            created_at: at(line.posted),
            created_by: clerk.staffId,
            updated_at: at(line.posted),
            updated_by: clerk.staffId,
          },
        ]);
        if (line.interest)
          await insert('receivable_charge', [
            {
              receivable_id: id,
              kind: 'interest',
              amount: line.interest,
              from_on: addDays(today, line.due),
              to_on: addDays(today, Math.min(0, line.due + 30)),
              note: '本金 × 年化 1825‱ × 天数 ÷ 365',
              created_at: at(Math.min(-1, line.due + 30)),
              created_by: clerk.staffId,
            },
          ]);
        const told = { entity: 'receivable', entityId: id!, caller: clerk };
        const { create, dispute, void: voided, approved } = receivable.actions!;
        await tell({ ...told, action: 'create', label: create!.label, to: 'open', at: at(line.posted) });
        if (line.disputed)
          await tell({
            ...told,
            action: 'dispute',
            label: dispute!.label,
            remark: line.disputed,
            at: at(line.posted + 2),
          });
        if (line.end)
          await tell({
            ...told,
            caller: head,
            action: line.end === 'void' ? 'void' : 'approved',
            label: line.end === 'void' ? voided!.label : approved!.label,
            from: 'open',
            to: line.end,
            remark: line.remark,
            at: at(Math.min(-2, line.due + 60)),
          });
        else ids.push(id!);
      }
      for (const money of who.receipts) {
        receipts++;
        const code = `RCD${String(receipts).padStart(5, '0')}`;
        const made = at(money.at, 9);
        const state = money.state ?? 'confirmed';
        const [id] = await insert('receipt', [
          {
            code,
            payer_id: payer,
            project_id: project,
            method: money.method,
            amount: money.amount,
            received_on: addDays(today, money.at),
            payer_name: who.name ?? members[index]!.name,
            bank: money.bank ?? '',
            slip_no: money.bank ? `2026${String(receipts).padStart(8, '0')}` : '',
            state: state === 'confirmed' ? 'to_confirm' : state,
            reject_reason: state === 'rejected' ? '金额与缴款单不符' : '',
            recorder_id: clerk.staffId,
            created_at: made,
            created_by: clerk.staffId,
            updated_at: made,
            updated_by: clerk.staffId,
          },
        ]);
        let rest = money.amount;
        for (const [position, line] of (
          await run<{ id: number; balance: number }>(
            tx,
            'SELECT id, principal + charges - received AS balance FROM receivable WHERE id = ANY($1::bigint[]) ORDER BY due_on, id',
            [ids],
          )
        ).entries()) {
          const part = Math.min(rest, line.balance);
          if (part <= 0) continue;
          rest -= part;
          await insert('receipt_allocation', [
            { receipt_id: id, position, receivable_id: line.id, amount: part },
          ]);
        }
        const told = { entity: 'receipt', entityId: id!, caller: clerk };
        const { create, confirm, reject } = receipt.actions!;
        await tell({ ...told, action: 'create', label: create!.label, to: 'to_confirm', at: made });
        const decided = new Date(made.getTime() + 2 * 3_600_000);
        if (state === 'rejected')
          await tell({
            ...told,
            caller: head,
            action: 'reject',
            label: reject!.label,
            from: 'to_confirm',
            to: 'rejected',
            remark: '金额与缴款单不符',
            at: decided,
          });
        if (state !== 'confirmed') continue;
        const done = await confirmReceipt(
          tx,
          { id: id!, payer_id: payer, method: money.method, amount: money.amount },
          'principal_first',
          head.staffId,
        );
        await run(
          tx,
          `UPDATE receipt SET state = 'confirmed', confirmed_at = $2, confirmer_id = $3, allocated = $4, to_prepaid = $5, updated_at = $2 WHERE id = $1`,
          [id, decided, head.staffId, done.allocated, done.to_prepaid],
        );
        await tell({
          ...told,
          caller: head,
          action: 'confirm',
          label: confirm!.label,
          from: 'to_confirm',
          to: 'confirmed',
          at: decided,
        });
      }
    }
  },
});
