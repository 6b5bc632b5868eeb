import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { issueLine } from '../../../domain/contract/contract-money.server.ts';
import { holdForContract, leaseForContract } from '../../../domain/contract/contract-occupancy.server.ts';
import {
  keepContractVersion,
  lockContract,
  partsOf,
  termsOf,
  writePlan,
} from '../../../domain/contract/contract-terms.server.ts';
import { addMonths } from '../../../domain/contract/plan.rules.ts';
import { confirmReceipt } from '../../../domain/receivable/receipt.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { contract as ledger, contractMine } from './contract.contract.ts';

const DAY = 86_400_000;

interface Made {
  readonly name: string;
  readonly party: string;
  readonly kind: string;
  readonly project: number;
  /** Months from today to its start, and how long it runs. */
  readonly start: number;
  readonly months: number;
  /** Days the start is shifted by. */
  readonly shift?: number;
  /** Code, name and price of its positions; an expense has a price alone. */
  readonly places: readonly (readonly [code: string, name: string, price: number])[];
  readonly price?: number;
  readonly interval?: '1' | '3' | '6' | '12';
  readonly step?: string;
  readonly deposit?: number;
  readonly state: 'draft' | 'in_review' | 'rejected' | 'active' | 'expiring' | 'expired' | 'terminated';
  /** How many of its issued receivables are paid. */
  readonly paid?: number;
}

const CONTRACTS: readonly Made[] = [
  {
    name: '电梯轿厢框架广告',
    party: '新潮传媒有限公司',
    kind: 'ad',
    project: 0,
    start: -7,
    months: 12,
    places: [
      ['ZS-A01', '1 栋电梯框架', 120_000],
      ['ZS-A02', '2 栋电梯框架', 120_000],
    ],
    deposit: 240_000,
    step: '5.00',
    state: 'active',
    paid: 6,
  },
  {
    name: '大堂展位短租',
    party: '悦享家居体验馆',
    kind: 'venue',
    project: 0,
    start: -2,
    months: 3,
    shift: -20,
    places: [['ZS-B01', '南门大堂展位', 280_000]],
    state: 'expiring',
    paid: 2,
  },
  {
    name: '便利店铺位租赁',
    party: '锦绣里便利店',
    kind: 'shop',
    project: 1,
    start: -20,
    months: 36,
    places: [['ZS-C01', '南区 3 号铺位', 680_000]],
    interval: '3',
    deposit: 1_360_000,
    step: '6.00',
    state: 'active',
    paid: 5,
  },
  {
    name: '自动售货机点位',
    party: '友宝在线科技',
    kind: 'equipment',
    project: 1,
    start: -3,
    months: 12,
    places: [
      ['ZS-D01', '会所一层机位', 35_000],
      ['ZS-D02', '地库 B1 机位', 28_000],
    ],
    state: 'active',
    paid: 1,
  },
  {
    name: '充电桩场地合作',
    party: '星充能源',
    kind: 'equipment',
    project: 2,
    start: -14,
    months: 12,
    shift: -5,
    places: [['ZS-D03', '地面停车场东侧', 90_000]],
    interval: '6',
    state: 'expired',
    paid: 2,
  },
  {
    name: '道闸广告投放',
    party: '城市声像广告',
    kind: 'ad',
    project: 2,
    start: 1,
    months: 6,
    places: [['ZS-A03', '北门道闸', 150_000]],
    state: 'active',
  },
  {
    name: '中庭促销场地',
    party: '橙心生鲜',
    kind: 'venue',
    project: 0,
    start: 1,
    months: 2,
    places: [['ZS-B02', '中心广场', 420_000]],
    state: 'in_review',
  },
  {
    name: '灯箱广告续投',
    party: '安居装饰工程',
    kind: 'ad',
    project: 1,
    start: 1,
    months: 12,
    places: [['ZS-A04', '主干道灯箱', 60_000]],
    state: 'draft',
  },
  {
    name: '快递柜机位',
    party: '丰巢网络',
    kind: 'equipment',
    project: 0,
    start: 1,
    months: 24,
    places: [['ZS-D04', '西门快递柜', 45_000]],
    state: 'rejected',
  },
  {
    name: '电梯维保采购',
    party: '迅安电梯工程',
    kind: 'purchase',
    project: 0,
    start: -5,
    months: 12,
    places: [],
    price: 860_000,
    interval: '3',
    state: 'active',
  },
];

/** Contracts in every state, with positions, plans, receivables and what came in for them. */
export const demo = defineDemo({
  key: 'contracts',
  after: ['receivables'],
  run: async ({ tx, insert, tell, now, base, as, platform, facts }) => {
    const clerk = as('mall1');
    const head = as('finance1');
    const today = businessDayOf(now);
    const values = new Map(
      (
        await run<{ id: number; val: string; code: string }>(
          tx,
          `SELECT v.id, v.val, r.code FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code IN ('contract_kind', 'position_type') AND v.parent_id IS NOT NULL`,
        )
      ).map((one) => [`${one.code}.${one.val}`, one.id]),
    );
    const TYPES: Readonly<Record<string, string>> = {
      ad: 'lift_frame',
      venue: 'lobby',
      shop: 'shop',
      equipment: 'lobby',
    };
    let receipts = 0;
    for (const [index, made] of CONTRACTS.entries()) {
      const project = base.projects[made.project]!.id;
      const startsOn = addDays(addMonths(today, made.start), made.shift ?? 0);
      const endsOn = addDays(addMonths(startsOn, made.months), -1);
      const drafted = new Date(
        Math.min(now.getTime() - (index + 2) * DAY, Date.parse(`${startsOn}T02:00:00Z`) - 20 * DAY),
      );
      const decided = new Date(drafted.getTime() + 2 * DAY);
      const stands = ['active', 'expiring', 'expired', 'terminated'].includes(made.state);
      const { unit_id } = (await runOne<{ unit_id: number }>(
        tx,
        'SELECT unit_id FROM project WHERE id = $1',
        [project],
      ))!;
      const [id] = await insert('contract', [
        {
          code: `CTD${String(index + 1).padStart(5, '0')}`,
          name: made.name,
          direction: made.places.length > 0 ? 'income' : 'expense',
          kind_id: values.get(`contract_kind.${made.kind}`),
          project_id: project,
          party_a_id: unit_id,
          party_name: made.party,
          contact: '王经理',
          contact_phone: `0571-8800${String(1000 + index)}`,
          owner_id: clerk.staffId,
          starts_on: startsOn,
          ends_on: endsOn,
          pay_interval: made.interval ?? '1',
          price: made.price ?? 0,
          deposit: made.deposit ?? 0,
          notice_days: 60,
          state: made.state === 'in_review' ? 'draft' : made.state,
          opinion: made.state === 'rejected' ? '单价低于刊例价，请重新商谈' : '',
          submitted_by: made.state === 'draft' ? null : clerk.staffId,
          submitted_at: made.state === 'draft' ? null : drafted,
          approved_at: stands ? decided : null,
          created_at: drafted,
          created_by: clerk.staffId,
          updated_at: stands ? decided : drafted,
          updated_by: clerk.staffId,
        },
      ]);
      for (const [at, [code, name, price]] of made.places.entries()) {
        // The name of this table is a word of SQL: rows of it are written by hand.
        const place = (await runOne<{ id: number }>(
          tx,
          `INSERT INTO position (code, name, project_id, type_id, location, list_price, floor_price, created_by)
           VALUES ($1, $2, $3, $4, $2, $5, $6, $7) ON CONFLICT (project_id, code) DO UPDATE SET name = excluded.name RETURNING id`,
          [
            code,
            name,
            project,
            values.get(`position_type.${TYPES[made.kind]!}`),
            Math.round((price * 1.1) / 100) * 100,
            Math.round((price * 0.8) / 100) * 100,
            clerk.staffId,
          ],
        ))!.id;
        await insert('contract_position', [
          { contract_id: id, position: at + 1, place_id: place, from_on: startsOn, to_on: endsOn, price },
        ]);
      }
      if (made.step)
        await insert('contract_price_step', [
          {
            contract_id: id,
            position: 1,
            from_month: 13 > made.months ? 7 : 13,
            kind: 'percent',
            rate: made.step,
          },
        ]);
      const parts = await partsOf(tx, id!);
      await writePlan(tx, id!, termsOf(await lockContract(tx, id!), parts), [], clerk.staffId);
      const told = { entity: 'contract', entityId: id!, caller: clerk };
      const { create, submit } = contractMine.actions!;
      await tell({ ...told, action: 'create', label: create!.label, to: 'draft', at: drafted });
      if (made.state === 'draft') continue;
      await tell({
        ...told,
        action: 'submit',
        label: submit!.label,
        from: 'draft',
        to: 'in_review',
        at: new Date(drafted.getTime() + 3_600_000),
      });
      if (made.state === 'in_review') {
        const row = await lockContract(tx, id!);
        await holdForContract(
          tx,
          clerk,
          { id: id!, projectId: project, clientId: null, name: made.name },
          parts.positions,
        );
        const money = `¥${yuanFromFen(row.amount)}`;
        await submitApproval(
          tx,
          platform,
          {
            kind: 'contract',
            bizId: id!,
            tenantId: clerk.tenantId,
            projectId: project,
            title: [`合同 ${row.code} ${row.name}`, `Contract ${row.code} ${row.name}`],
            summary: [{ label: ['总额', 'Amount'], value: [money, money] }],
            starterId: clerk.staffId,
          },
          { caller: clerk, facts },
        );
        await run(tx, `UPDATE contract SET state = 'in_review' WHERE id = $1`, [id]);
        continue;
      }
      const { approve, reject } = ledger.actions!;
      await tell({
        ...told,
        caller: head,
        action: stands ? 'approve' : 'reject',
        label: stands ? approve!.label : reject!.label,
        from: 'in_review',
        to: stands ? 'active' : 'rejected',
        at: decided,
        ...(stands ? {} : { remark: '单价低于刊例价，请重新商谈' }),
      });
      if (!stands) continue;
      await holdForContract(
        tx,
        clerk,
        { id: id!, projectId: project, clientId: null, name: made.name },
        parts.positions,
      );
      await leaseForContract(tx, id!, null);
      await keepContractVersion(tx, id!, { reason: '首次审批通过', instanceId: null, staffId: head.staffId });
      const due = await run<{ id: number; due_on: string; amount: number }>(
        tx,
        `SELECT id, due_on::text AS due_on, amount FROM contract_payment WHERE contract_id = $1 AND due_on <= $2 ORDER BY due_on, no`,
        [id, addDays(today, 30)],
      );
      if (made.places.length === 0) continue;
      for (const [at, line] of due.entries()) {
        const receivable = await issueLine(tx, line.id, null);
        if (receivable === null || at >= (made.paid ?? 0)) continue;
        receipts++;
        const { payer_id } = (await runOne<{ payer_id: number }>(
          tx,
          'SELECT payer_id FROM receivable WHERE id = $1',
          [receivable],
        ))!;
        const received = line.due_on < today ? line.due_on : today;
        const [receipt] = await insert('receipt', [
          {
            code: `RCC${String(receipts).padStart(5, '0')}`,
            payer_id,
            project_id: project,
            method: 'transfer',
            amount: line.amount,
            received_on: received,
            payer_name: made.party,
            bank: '工商银行',
            slip_no: `CT${String(receipts).padStart(8, '0')}`,
            recorder_id: clerk.staffId,
            created_by: clerk.staffId,
          },
        ]);
        await insert('receipt_allocation', [
          { receipt_id: receipt, position: 0, receivable_id: receivable, amount: line.amount },
        ]);
        const done = await confirmReceipt(
          tx,
          { id: receipt!, payer_id, method: 'transfer', amount: line.amount },
          'principal_first',
          head.staffId,
        );
        await run(
          tx,
          `UPDATE receipt SET state = 'confirmed', confirmed_at = $5, confirmer_id = $2, allocated = $3, to_prepaid = $4 WHERE id = $1`,
          [receipt, head.staffId, done.allocated, done.to_prepaid, now],
        );
      }
    }
  },
});
