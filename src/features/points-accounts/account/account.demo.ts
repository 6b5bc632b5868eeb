import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { LINE_KINDS, type LedgerSource } from '../../../domain/points-ledger/ledger-book.server.ts';
import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { expireSome } from '../../../domain/points-ledger/points-expiry.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import {
  holdPoints,
  spendablePoints,
  spendPoints,
} from '../../../domain/points-ledger/points-ledger.server.ts';
import { grantPending } from '../../../domain/points-ledger/points-pending.server.ts';
import { adjustPoints, clawbackPoints } from '../../../domain/points-ledger/points-take-back.server.ts';
import { pointsAccount } from './account.contract.ts';

const DAY = 86_400_000;

/** Movements of the last months through the functions of the ledger: returns, take-backs with debt, freezes, corrections, caps. */
export const demo = defineDemo({
  key: 'pointsAccounts',
  after: ['pointsRules'],
  run: async ({ tx, platform, insert, tell, now, as, random }) => {
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const finance = as('finance1');
    const members = await membersQuietSince(tx, at(61), 40, true);
    const source = (id: number | string, purpose: string): LedgerSource => ({
      type: 'demo_points',
      id: `${purpose === 'spend' ? 'EX' : 'EV'}${String(id).padStart(8, '0')}`,
      purpose,
    });
    const rules = await run<{ id: number; code: string; points: number }>(
      tx,
      `SELECT id, code, points FROM points_rule WHERE state = 'enabled' AND direction = 'earn' AND dimension = 'person' ORDER BY code`,
    );
    const post = rules.find((rule) => rule.code === 'A004') ?? rules[0]!;
    // Announced returns of the last days, and older ones taken back below what is left.
    for (const [index, member] of members.slice(0, 9).entries())
      await grantPending(tx, {
        memberId: member.id,
        amount: random.int(20, 260),
        source: source(member.id, 'return'),
        kind: LINE_KINDS.purchase,
        releaseAt: new Date(now.getTime() + (index % 6) * DAY + 3_600_000),
        at: at(1 + (index % 6)),
      });
    for (const member of members.slice(9, 12)) {
      const grant = source(member.id, 'purchase_return');
      await grantPoints(tx, platform.settings, {
        memberId: member.id,
        amount: 320,
        source: grant,
        kind: LINE_KINDS.purchase,
        note: '家电采购返积分',
        at: at(30),
      });
      await spendPoints(tx, {
        memberId: member.id,
        amount: await spendablePoints(tx, member.id, 'point', at(22)),
        source: source(member.id, 'spend'),
        note: '积分商城兑换',
        at: at(22),
      });
      await clawbackPoints(tx, {
        grant,
        amount: 320,
        source: source(member.id, 'take_back'),
        note: '订单全额退款',
        at: at(12),
      });
      await grantPoints(tx, platform.settings, {
        memberId: member.id,
        amount: 5,
        source: source(member.id, 'sign_in_after'),
        kind: LINE_KINDS.signIn,
        activity: true,
        at: at(3),
      });
    }
    // Lots that end soon, and some that ended.
    for (const [index, member] of members.slice(12, 24).entries())
      await grantPoints(tx, platform.settings, {
        memberId: member.id,
        amount: random.int(30, 300),
        source: source(member.id, 'event'),
        kind: LINE_KINDS.staff,
        note: '社区开放日活动',
        expiresAt: new Date(now.getTime() + (index < 8 ? 4 + index * 3 : -index) * DAY),
        at: at(60),
      });
    await expireSome(tx, at(0.2));
    // Posts of one day up to the limit of the rule and beyond it.
    for (const member of members.slice(24, 28))
      for (let n = 1; n <= 4; n += 1)
        await grantPoints(tx, platform.settings, {
          memberId: member.id,
          amount: post.points,
          source: source(`${member.id}-${n}`, 'post'),
          kind: LINE_KINDS.task,
          ruleId: post.id,
          activity: true,
          at: at(2 - n * 0.01),
        });
    // Redemptions with a cash part that wait for their payment.
    for (const member of members.slice(36, 40)) {
      const left = await spendablePoints(tx, member.id);
      if (left > 0)
        await holdPoints(tx, {
          memberId: member.id,
          amount: Math.min(left, 60),
          source: source(member.id, 'hold'),
          note: '兑换待付款',
        });
    }
    let number = 0;
    for (const [index, one] of (
      [
        [-300, 'cheat', '小号刷签到，扣回积分', 'booked'],
        [200, 'complaint', '漏发活动积分补发', 'booked'],
        [800, 'error', '系统重复扣减，予以退还', 'booked'],
        [-2_500, 'cheat', '异常兑换，待核实', 'withdrawn'],
      ] as const
    ).entries()) {
      const [amount, reasonCode, reason, state] = one;
      const member = members[28 + index]!;
      number += 1;
      const [id] = await insert('points_adjustment', [
        {
          code: `PJD${String(number).padStart(5, '0')}`,
          member_id: member.id,
          tenant_id: finance.tenantId,
          amount,
          reason_code: reasonCode,
          reason: reason.padEnd(5, '。'),
          allow_debt: amount < 0,
          state,
          booked_at: state === 'booked' ? at(5 + index) : null,
          created_at: at(5 + index),
          created_by: finance.staffId,
          updated_at: at(5 + index),
          updated_by: finance.staffId,
        },
      ]);
      if (state === 'booked')
        await adjustPoints(tx, platform.settings, {
          memberId: member.id,
          amount,
          allowDebt: true,
          source: { type: 'points_adjustment', id: String(id), purpose: 'adjust' },
          staffId: finance.staffId,
          note: reason,
          at: at(5 + index),
        });
      await tell({
        entity: 'pointsAccount',
        entityId: member.id,
        caller: finance,
        action: 'adjust',
        label: pointsAccount.actions!.adjust.label,
        remark: `${amount > 0 ? '+' : ''}${amount} ${reason}`,
        at: at(5 + index),
      });
    }
    for (const [index, member] of members.slice(33, 36).entries()) {
      await insert('points_account_freeze', [
        {
          member_id: member.id,
          reason: ['疑似小号互刷，待核查', '兑换地址异常，联系不上会员', '投诉处理期间暂停使用'][index],
          from_at: at(8 - index),
          until_at: index === 1 ? new Date(now.getTime() + 20 * DAY) : null,
          created_by: finance.staffId,
          lifted_at: index === 2 ? at(1) : null,
          lifted_by: index === 2 ? finance.staffId : null,
          lift_reason: index === 2 ? '核查完毕，恢复使用' : '',
        },
      ]);
      await tell({
        entity: 'pointsAccount',
        entityId: member.id,
        caller: finance,
        action: 'freeze',
        label: pointsAccount.actions!.freeze.label,
        at: at(8 - index),
      });
    }
  },
});
