import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { settlementRow } from './initiate.contract.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';

/** Rows of previews: read here, written while a run is previewed. */
export const registration = bindResource(settlementRow, {
  table: 'settlement_run_row',
  from: `settlement_run_row t LEFT JOIN settlement_run_merchant v ON v.id = t.run_merchant_id LEFT JOIN settlement_run n ON n.id = v.run_id
    LEFT JOIN tenant m ON m.id = v.tenant_id LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN statement f ON f.id = t.first_statement_id`,
  scope: PLATFORM_SCOPE('n.maker_id'),
  columns: {
    no: 't.id',
    preview: { id: 't.run_merchant_id', title: 'm.name' },
    run: { id: 'v.run_id', title: 'n.code' },
    merchant: { id: 'v.tenant_id', title: 'm.name' },
    orderCode: 'o.code',
    title: `coalesce(nullif(t.title, ''), o.title)`,
    rate: `CASE WHEN t.row_kind IN ('sale', 'freight', 'refund', 'refund_freight') THEN to_char(t.commission_bp / 100.0, 'FM990.00') END`,
    why: `t.why || '｜' || t.why_en`,
    first: { id: 't.first_statement_id', title: 'f.code' },
  },
  words: { why: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  tabs: { taken: () => 't.code IS NULL', excluded: () => 't.code IS NOT NULL' },
  extra: { version: '1' },
}).registration;
