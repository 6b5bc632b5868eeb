import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { paymentWay } from './payment-way.contract.ts';

const DAY = 86_400_000;
const COUNTER = ['cash', 'pos', 'transfer', 'prepaid'] as const;

/** Ways of the projects that are charged: the counter's, and those of the app where there are accounts for them. */
export const demo = defineDemo({
  key: 'paymentWays',
  after: ['charging'],
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('finance1');
    const projects = await run<{ id: number; tenant_id: number }>(
      tx,
      'SELECT DISTINCT project_id AS id, tenant_id FROM bill ORDER BY 1',
    );
    const accounts = await run<{ id: number; channel: string; tenant_id: number }>(
      tx,
      `SELECT id, channel, tenant_id FROM payee_account WHERE purpose = 'collect' AND state = 'active' ORDER BY id`,
    );
    for (const [index, project] of projects.entries()) {
      const accountOf = (channel: string) =>
        (
          accounts.find((one) => one.channel === channel && one.tenant_id === project.tenant_id) ??
          accounts.find((one) => one.channel === channel)
        )?.id ?? null;
      const at = new Date(now.getTime() - (120 - index * 7) * DAY);
      const wanted = [
        ...COUNTER.map((channel) => ({ channel, scene: 'counter' })),
        ...['alipay', 'wechat'].map((channel) => ({ channel, scene: 'app' })),
        { channel: 'prepaid', scene: 'app' },
      ];
      for (const [place, { channel, scene }] of wanted.entries()) {
        const payee = ['pos', 'transfer'].includes(channel)
          ? accountOf('bank')
          : ['alipay', 'wechat'].includes(channel)
            ? accountOf(channel)
            : null;
        const [id] = await insert('payment_way', [
          {
            project_id: project.id,
            channel,
            scene,
            payee_id: payee,
            fee_ppm: payee === null || channel === 'transfer' ? 0 : 6_000,
            needs_slip: channel === 'transfer',
            position: place + 1,
            // Without an account a way waits for one.
            enabled: payee !== null || ['cash', 'prepaid'].includes(channel),
            created_at: at,
            created_by: author.staffId,
            updated_at: at,
            updated_by: author.staffId,
          },
        ]);
        await run(tx, 'INSERT INTO payment_way_place VALUES ($1, $2, $3, $4, 0)', [
          id,
          project.id,
          channel,
          scene,
        ]);
        await tell({
          entity: paymentWay.name,
          entityId: id!,
          caller: author,
          action: 'add',
          label: paymentWay.actions!.add.label,
          at,
        });
      }
    }
  },
});
