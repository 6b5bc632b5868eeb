import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { SHOWN, statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { statementLine } from './statement.contract.ts';

/** Rows of statements: read here, written by the drafts of the settlement. */
const bound = bindResource(statementLine, {
  table: 'statement_line',
  from: `statement_line t LEFT JOIN statement s ON s.id = t.statement_id LEFT JOIN sales_order o ON o.id = t.order_id
    LEFT JOIN statement f ON f.id = t.first_statement_id`,
  where: `t.active AND ${SHOWN('s')}`,
  columns: {
    statement: { id: 't.statement_id', title: 's.code' },
    first: { id: 't.first_statement_id', title: 'f.code' },
    orderCode: 'o.code',
    order: { id: 't.order_id', title: 'o.code' },
    orderKind: 'o.kind',
    contactName: 'o.contact_name',
    contactPhone: 'o.contact_phone',
    payChannel: 'o.pay_channel::text',
    commissionRate: `CASE WHEN t.row_kind IN ('sale', 'freight', 'refund', 'refund_freight') THEN to_char(t.commission_bp / 100.0, 'FM990.00') END`,
    lineState: 's.state',
    settled: `(s.state = 'settled')`,
    title: `coalesce(nullif(t.title, ''), o.title)`,
  },
  extra: { version: '1' },
  scope: statementScope('s'),
});

/** Rows of statements. */
export const registration = bound.registration;
