import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Effect } from '../../../kernel/server/registration.ts';
import { bound as batches } from './batch.server.ts';
import { PAYEE_PARTS, showPayees } from './payee-text.server.ts';
import { PAYOUT_FROM, PAYOUT_SCOPE } from './payout-scope.server.ts';
import { payout } from './settlement.contract.ts';
import { queryPayout } from './payout-flow.server.ts';

/** Effect that asks the channel about one payout, when somebody wants to know now. */
const QUERY_EFFECT = 'payout.query';

/** Payouts: made by batches, ended by the channel. */
export const registration = bindResource(payout, {
  table: 'payout',
  from: `${PAYOUT_FROM} LEFT JOIN payout_batch b ON b.id = t.batch_id LEFT JOIN tenant m ON m.id = t.tenant_id`,
  scope: PAYOUT_SCOPE,
  search: 'lower(t.payout_no)',
  columns: {
    batch: { id: 't.batch_id', title: 'b.code' },
    settlement: { id: 't.statement_id', title: 's.code' },
    withdrawal: { id: 't.withdrawal_id', title: 'w.code' },
    merchant: { id: 't.tenant_id', title: 'm.name' },
    payee: PAYEE_PARTS,
    channelMessage: `nullif(t.channel_message, '')`,
  },
  present: (rows) => {
    showPayees(rows);
    return Promise.resolve();
  },
  handlers: {
    query: async ({ tx, id }) => {
      await addEffect(tx, QUERY_EFFECT, { payoutId: id });
    },
  },
  also: {
    effects: [
      {
        kind: QUERY_EFFECT,
        deliver: (payload: { payoutId: number }, platform) =>
          queryPayout(platform, batches, payload.payoutId),
      },
    ] as readonly Effect[],
  },
}).registration;
