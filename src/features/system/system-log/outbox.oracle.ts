import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

const channel = (kind: string) =>
  kind.startsWith('sms.')
    ? 'sms'
    : kind.startsWith('mail.')
      ? 'mail'
      : kind.startsWith('payment.') || kind.startsWith('payee.test') || kind === 'refund.send'
        ? 'payment'
        : 'internal';

/** Platform staff see all messages and channel calls, nobody sees work inside of the product here. */
export const oracle = defineOracle({
  name: 'outbox',
  grows: true,
  menu: 'ssm_systemLog',
  table: 'outbox',
  where: (row) => channel(String(row.kind)) !== 'internal',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'platform' }),
  text: (row) => `${row.kind} ${row.last_error ?? ''}`.toLowerCase(),
  filters: { channel: words((row) => channel(String(row.kind)), ['sms', 'mail', 'payment']) },
  // What a message is stands in the table of its channel; shown by a test of its own.
  leftOut: ['template'],
  tabs: {
    all: () => true,
    waiting: (row) => row.state === 'pending' && row.last_error === null,
    failing: (row) => row.state === 'pending' && row.last_error !== null,
    dead: (row) => row.state === 'dead',
    dropped: (row) => row.state === 'dropped',
  },
  export: counted,
});
