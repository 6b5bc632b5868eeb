import { z } from 'zod';
import { lockDay, takingsOf } from '../../../domain/charging/cash-close.server.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { cashClose, type ExpectedTakings } from './bill-payment.contract.ts';
import { PAYMENT_SCOPE } from './bill-payment.server.ts';

/** Closed days of cashiers. */
export const registration = bindResource(cashClose, {
  table: 'cash_close',
  from: 'cash_close t LEFT JOIN staff s ON s.id = t.cashier_id',
  joins: { project: 'project' },
  columns: { cashier: { id: 't.cashier_id', title: 's.name' } },
  scope: PAYMENT_SCOPE,
  unique: { cash_close_once: ['当日已日结', 'The day is closed'] },
  before: [closeDay],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/cashClose/expected',
      title: ['日结应收', 'What a day comes to'],
      access: { code: `${cashClose.menu}:btn_close` },
      query: z.strictObject({ project: z.string().regex(/^\d{1,15}$/), day: z.string().max(10) }),
      handle: async ({ caller, platform, query }): Promise<ExpectedTakings> => {
        if (!isBusinessDay(query.day)) throw invalid({ day: ['日期不正确', 'Not a date'] });
        const project = Number(query.project);
        requireProjectsInReach(caller, [project]);
        const { cash, pos, transfer, ...counts } = await takingsOf(
          platform.database.db,
          staffIdOf(caller)!,
          project,
          query.day,
        );
        return {
          ...counts,
          cash: yuanFromFen(cash),
          pos: yuanFromFen(pos),
          transfer: yuanFromFen(transfer),
        };
      },
    }),
  ],
}).registration;

/** What was expected of the day is worked out behind the cashier's lock, so that no payment slips in between. */
async function closeDay({ tx, action, input, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  const day = String(input.day);
  if (day > today()) throw invalid({ day: ['日期不能晚于今天', 'The day is not in the future'] });
  const cashier = staffIdOf(caller)!;
  const project = Number(input.project);
  requireProjectsInReach(caller, [project]);
  const company = await runOne<{ tenant_id: number }>(
    tx,
    `SELECT tenant_id FROM (${companyOf('$1::bigint')}) c`,
    [project],
  );
  if (!company) throw ruleBroken(['该项目没有物业公司', 'No company runs this project']);
  await lockDay(tx, cashier, project);
  const takings = await takingsOf(tx, cashier, project, day);
  const expected = { cash: takings.cash, pos: takings.pos, transfer: takings.transfer };
  const differs =
    Number(input.countedCash) !== expected.cash ||
    Number(input.countedPos) !== expected.pos ||
    Number(input.countedTransfer) !== expected.transfer;
  if (differs && !String(input.remark ?? '').trim())
    throw invalid({ remark: ['与应收不一致，请填写说明', 'It differs from what is expected: say why'] });
  Object.assign(columns, {
    tenant_id: company.tenant_id,
    cashier_id: cashier,
    receipts: takings.receipts,
    voids: takings.voids,
    expected_cash: expected.cash,
    expected_pos: expected.pos,
    expected_transfer: expected.transfer,
    remark: String(input.remark ?? ''),
  });
}
