import type { SnapshotPart } from '../../../domain/approval/approval-kind.server.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { merchantAgreement } from './merchant-agreement.contract.ts';

const { fields } = merchantAgreement;

/** Terms an approver weighs, by their column. */
const TERMS = [
  ['effectiveFrom', 'effective_from'],
  ['effectiveTo', 'effective_to'],
  ['commission', 'commission_bp'],
  ['rules', 'rules'],
  ['commissionBase', 'commission_base'],
  ['freightCommission', 'freight_commission'],
  ['channelFeeBearer', 'channel_fee_bearer'],
  ['pointsBearer', 'points_bearer'],
  ['coinBearer', 'coin_bearer'],
  ['settlementCycle', 'settlement_cycle'],
  ['payoutMode', 'payout_mode'],
  ['afterSaleDays', 'after_sale_days'],
  ['deposit', 'deposit'],
  ['annualFee', 'annual_fee'],
] as const satisfies readonly (readonly [keyof typeof fields, string])[];

type Version = Readonly<Record<string, unknown>>;

const VERSION = `a.*, m.name AS merchant, (SELECT jsonb_build_array(
    string_agg(concat_ws(' / ', b.name, c.name) || ' ' || to_char(l.rate_bp / 100.0, 'FM990.00') || '%', '；' ORDER BY l.position),
    string_agg(concat_ws(' / ', coalesce(nullif(b.name_en, ''), b.name), coalesce(nullif(c.name_en, ''), c.name)) || ' ' || to_char(l.rate_bp / 100.0, 'FM990.00') || '%', '; ' ORDER BY l.position))
  FROM merchant_commission l JOIN business b ON b.id = l.business_id LEFT JOIN product_class c ON c.id = l.class_id WHERE l.agreement_id = a.id) AS rules`;

/** A version as approvers see it: its terms, and what they are now where they differ. */
export async function agreementSnapshot(db: Executor, id: number): Promise<readonly SnapshotPart[]> {
  const asked = (await runOne<Version>(
    db,
    `SELECT ${VERSION} FROM merchant_agreement a JOIN tenant m ON m.id = a.tenant_id WHERE a.id = $1`,
    [id],
  ))!;
  const before = await runOne<Version>(
    db,
    `SELECT ${VERSION} FROM merchant_agreement a JOIN tenant m ON m.id = a.tenant_id
      WHERE a.tenant_id = $1 AND a.id <> $2 AND a.state IN ('active', 'superseded', 'expired') AND a.effective_from < $3 ORDER BY a.effective_from DESC LIMIT 1`,
    [asked.tenant_id, id, asked.effective_from],
  );
  const no = (version: Version) => `V${String(version.agreement_version)}`;
  const both = (text: string): Label => [text, text];
  return [
    {
      title: ['协议', 'Agreement'],
      values: [
        { field: 'merchant', label: fields.merchant.label, value: both(String(asked.merchant)) },
        {
          field: 'versionNo',
          label: fields.versionNo.label,
          value: both(before ? `${no(before)} → ${no(asked)}` : no(asked)),
        },
        ...TERMS.map(([field, column]) => {
          const value = said(fields[field], asked[column]);
          const old = before && said(fields[field], before[column]);
          return {
            field,
            label: fields[field].label,
            value:
              old && old[0] !== value[0]
                ? ([`${old[0]} → ${value[0]}`, `${old[1]} → ${value[1]}`] as const)
                : value,
          };
        }),
      ],
    },
  ];
}

/** A stored value of a term in words. */
function said({ kind, choices }: Field, value: unknown): Label {
  const both = (text: string): Label => [text, text];
  if (value === null || value === undefined) return both('–');
  switch (kind) {
    case 'choice':
      return choices![String(value)]!.label;
    case 'boolean':
      return value ? ['是', 'Yes'] : ['否', 'No'];
    case 'money':
      return both(yuanFromFen(Number(value)));
    case 'percent':
      return both(`${(Number(value) / 100).toFixed(2)}%`);
    case 'instant':
      return both(businessTimeText(value as Date).slice(0, 16));
    case 'lines':
      return (value as (string | null)[])[0] ? (value as unknown as Label) : both('–');
    default:
      return both(String(value));
  }
}
