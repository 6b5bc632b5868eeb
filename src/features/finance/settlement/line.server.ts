import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { whyOf } from '../../../domain/settlement/why.rules.ts';
import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { settlementLine } from './settlement.contract.ts';

/** Rows of confirmed statements, each with its working. */
export const registration = bindResource(settlementLine, {
  table: 'statement_line',
  from: `statement_line t LEFT JOIN statement s ON s.id = t.statement_id LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN statement f ON f.id = t.first_statement_id`,
  where: `s.confirmed_at IS NOT NULL AND (t.active OR s.state = 'void')`,
  scope: statementScope('s'),
  columns: {
    settlement: { id: 't.statement_id', title: 's.code' },
    orderCode: 'o.code',
    title: `coalesce(nullif(t.title, ''), o.title)`,
    rate: `CASE WHEN t.row_kind IN ('sale', 'freight', 'refund', 'refund_freight') THEN to_char(t.commission_bp / 100.0, 'FM990.00') END`,
    first: { id: 't.first_statement_id', title: 'f.code' },
    why: `json_build_object('rowKind', t.row_kind, 'cash', t.cash, 'subsidy', t.subsidy, 'gross', t.gross, 'commissionBase', t.commission_base, 'commissionBp', t.commission_bp,
      'commission', t.commission, 'channelFee', t.channel_fee, 'net', t.net, 'agreementVersion', o.agreement_version)`,
  },
  words: { why: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  present: (rows) => {
    for (const row of rows) if (row.why) row.why = saidTwice(whyOf(row.why as Parameters<typeof whyOf>[0]));
    return Promise.resolve();
  },
  extra: { version: '1' },
}).registration;
