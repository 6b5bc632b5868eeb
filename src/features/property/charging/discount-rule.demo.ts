import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { addDays } from '../../../domain/charging/calendar.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** What companies take off for months paid ahead, for amounts, and an offer that has ended. */
export const demo = defineDemo({
  key: 'discountRule',
  after: ['charging'],
  run: async ({ tx, insert, tell, now, as }) => {
    const today = businessDayOf(now);
    const manager = as('finance1');
    const companies = await run<{ id: number; item: number }>(
      tx,
      `SELECT t.id, (SELECT min(i.id) FROM fee_item i WHERE i.tenant_id = t.id AND i.kind = 'management') AS item FROM tenant t WHERE t.kind = 1
        AND EXISTS (SELECT FROM fee_item i WHERE i.tenant_id = t.id AND i.kind = 'management') ORDER BY t.id`,
    );
    for (const company of companies) {
      const at = new Date(now.getTime() - 60 * 86_400_000);
      const stamps = {
        tenant_id: company.id,
        valid_from: addDays(today, -60),
        valid_to: addDays(today, 300),
        enabled: true,
        created_at: at,
        updated_at: at,
        created_by: manager.staffId,
        updated_by: manager.staffId,
      };
      const rules = [
        { name: '全年预缴九五折', kind: 'prepay_percent', threshold: 12, percent: '5' },
        { name: '半年预缴九八折', kind: 'prepay_percent', threshold: 6, percent: '2' },
        { name: '满三千减五十', kind: 'amount_off', threshold_amount: 300_000, amount_off: 5_000 },
        {
          name: '新年预缴12赠1',
          kind: 'gift_months',
          threshold: 12,
          months_given: 1,
          valid_from: addDays(today, -420),
          valid_to: addDays(today, -330),
          enabled: false,
        },
      ];
      for (const rule of rules) {
        const [id] = await insert('discount_rule', [{ ...stamps, ...rule }]);
        await insert('discount_rule_item', [{ rule_id: id!, fee_item_id: company.item }]);
        await tell({
          entity: 'discountRule',
          entityId: id!,
          caller: manager,
          action: 'create',
          label: ['新增', 'Add'],
          at,
        });
      }
    }
  },
});
