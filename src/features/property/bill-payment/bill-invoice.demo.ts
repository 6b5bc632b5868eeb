import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** Invoices of payments: asked for, issued, void and taken back. */
export const demo = defineDemo({
  key: 'billInvoice',
  after: ['charging', 'billRefunds'],
  run: async ({ tx, insert, tell, now, as }) => {
    const clerk = as('finance1');
    const payments = await run<{
      id: number;
      tenant_id: number;
      project_id: number;
      allocated: number;
      name: string;
    }>(
      tx,
      `SELECT p.id, p.tenant_id, p.project_id, p.allocated, coalesce((SELECT m.name FROM household r JOIN member m ON m.id = r.member_id WHERE r.house_id = p.house_id AND r.identity = 'owner' ORDER BY r.id LIMIT 1), '业主') AS name
         FROM bill_payment p WHERE p.state = 'valid' AND p.allocated > 0 AND p.refund_of IS NULL AND p.channel <> 'prepaid' AND p.sales_order_id IS NULL ORDER BY p.id DESC LIMIT 12`,
    );
    const states = [
      'issued',
      'requested',
      'issued',
      'red',
      'requested',
      'void',
      'issued',
      'cancelled',
    ] as const;
    for (const [index, one] of payments.slice(0, states.length).entries()) {
      const state = states[index]!;
      const at = new Date(now.getTime() - (index + 1) * 7_200_000);
      const company = index % 3 === 2;
      const issued = state !== 'requested' && state !== 'cancelled';
      const [id] = await insert('bill_invoice', [
        {
          code: `IVDEMO${String(index + 1).padStart(4, '0')}`,
          payment_id: one.id,
          tenant_id: one.tenant_id,
          project_id: one.project_id,
          type: company ? 'company' : 'personal',
          title: company ? '上海示例贸易有限公司' : one.name,
          duty_code: company ? '91310000MA1FL4B24X' : '',
          amount: one.allocated,
          state,
          number: issued ? `2631200000${String(10_000_000 + index)}` : '',
          issued_on: issued ? businessDayOf(at) : null,
          red_number: state === 'red' ? `2631200000${String(20_000_000 + index)}` : '',
          end_reason:
            issued && state !== 'issued' ? '抬头填写错误' : state === 'cancelled' ? '业主不再需要' : '',
          created_at: at,
          updated_at: at,
          created_by: clerk.staffId,
          updated_by: clerk.staffId,
        },
      ]);
      const told = { entity: 'billInvoice', entityId: id!, caller: clerk, at };
      await tell({ ...told, action: 'create', label: ['申请开票', 'Asked for'], to: 'requested' });
      if (issued)
        await tell({ ...told, action: 'issue', label: ['开票', 'Issue'], from: 'requested', to: 'issued' });
      if (state === 'void')
        await tell({ ...told, action: 'void', label: ['作废', 'Void'], from: 'issued', to: state });
      if (state === 'red')
        await tell({ ...told, action: 'red', label: ['红冲', 'Take back'], from: 'issued', to: state });
      if (state === 'cancelled')
        await tell({
          ...told,
          action: 'cancel',
          label: ['取消申请', 'Cancel'],
          from: 'requested',
          to: state,
        });
    }
  },
});
