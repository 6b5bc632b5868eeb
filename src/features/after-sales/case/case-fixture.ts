import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { registration as regions } from '../../base-data/region/region.server.ts';
import { registration as merchants } from '../../service-resources/merchant-list/merchant-list.server.ts';
import { registration as refunds } from '../refund/refund.server.ts';
import {
  makeCheckout,
  openFixture,
  type FixtureLine,
  type FixtureOrder,
  type MadeOrder,
} from '../refund/refund-fixtures.ts';
import { registration as addresses } from '../return-address/return-address.server.ts';
import { applyCase, type AppliedCase, type CaseApplication } from './case-apply.server.ts';
import { registration as cases } from './case.server.ts';

const ELEMENTS = ['add', 'agree', 'refuse', 'receive', 'resend', 'escalate', 'decide', 'restart', 'export'];

/** A running product with refunds, cases and addresses; a default return address of merchant A. */
export async function openCases() {
  const fixture = await openFixture([refunds, cases, addresses, merchants, regions]);
  const { db, ids, platform } = fixture;
  await fixture.set('sandbox.delay_ms', 0);
  await fixture.set('refund.channel_gap_seconds', 0);
  const province = await runOne<{ id: number }>(
    db,
    `INSERT INTO region (code, name, level) VALUES ('990000', '测试省', 1) ON CONFLICT (code) DO UPDATE SET name = excluded.name RETURNING id`,
  );
  const city = await runOne<{ id: number }>(
    db,
    `INSERT INTO region (code, name, level, parent_id) VALUES ('990100', '测试市', 2, $1) ON CONFLICT (code) DO UPDATE SET name = excluded.name RETURNING id`,
    [province!.id],
  );
  const region = await runOne<{ id: number }>(
    db,
    `INSERT INTO region (code, name, level, parent_id) VALUES ('990101', '测试区', 3, $1) ON CONFLICT (code) DO UPDATE SET name = excluded.name RETURNING id`,
    [city!.id],
  );
  await run(
    db,
    `INSERT INTO return_address (tenant_id, receiver, phone, region_id, address, use, is_default)
     VALUES ($1, '李仓管', '13900001111', $2, '仓储路1号A库', 'return', true)`,
    [ids.merchants[0], region!.id],
  );
  const staff = async (options: Parameters<typeof fixture.caller>[0] & { only?: readonly string[] } = {}) => {
    const caller = await fixture.caller({
      ...options,
      menus: ['am_orderlist', 'am_businessAddress', 'mm_orderRefund'],
    });
    const elements = caller.elements as Set<string>;
    for (const one of options.only ?? ELEMENTS) elements.add(`am_orderlist:btn_${one}`);
    for (const one of ['add', 'edit', 'del', 'default', 'on', 'off', 'reveal'])
      elements.add(`am_businessAddress:btn_${one}`);
    return caller;
  };
  const order = async (lines: readonly FixtureLine[], more: Partial<FixtureOrder> = {}): Promise<MadeOrder> =>
    (await makeCheckout(fixture, [{ ...more, lines }]))[0]!;
  const apply = (made: MadeOrder, more: Partial<CaseApplication> = {}): Promise<AppliedCase> =>
    transaction(db, (tx) =>
      applyCase(tx, platform, {
        orderId: made.id,
        memberId: ids.member,
        type: 'return_refund',
        lines: [{ lineId: made.lines[0]!, qty: 1 }],
        reasonCode: 'quality',
        reason: '有划痕',
        ...more,
      }),
    );
  const act = (
    who: Awaited<ReturnType<typeof staff>>,
    id: number,
    action: string,
    body: Record<string, unknown> = {},
  ) => fixture.call(who, 'POST', `/jinmao/web/afterSale/${id}/${action}`, body);
  const row = async (id: number) =>
    (await runOne<Record<string, any>>(db, 'SELECT * FROM after_sale WHERE id = $1', [id]))!;
  const line = async (id: number) =>
    (await runOne<{ qty_claimed: number; qty_refunded: number; cash_refunded: number }>(
      db,
      'SELECT qty_claimed, qty_refunded, cash_refunded FROM order_line WHERE id = $1',
      [id],
    ))!;
  const refundsOf = (id: number) =>
    run<{ id: number; state: string; cash: number; applicant_type: number }>(
      db,
      'SELECT id, state, cash, applicant_type FROM refund WHERE after_sale_id = $1 ORDER BY id',
      [id],
    );
  const job = (name: string) =>
    cases.jobs!.find((one) => one.name === name)!.run({}, platform, undefined as never);
  /** Moves a case into the past: its deadline was a minute ago. */
  const overdue = (id: number) =>
    run(db, `UPDATE after_sale SET deadline = now() - interval '1 minute' WHERE id = $1`, [id]);
  const received = { state: 'completed', completedDaysAgo: 1 } as const;
  return {
    ...fixture,
    staff,
    order,
    apply,
    act,
    row,
    line,
    refundsOf,
    job,
    overdue,
    received,
    region: region!.id,
  };
}
