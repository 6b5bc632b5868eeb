import './issued-coupon.css';
import { useContext, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Progress, Segmented } from 'antd';
import { mostPerCoupon, valueText } from '../../../domain/coupon/coupon.rules.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { FormPage } from '../../../kernel/client/form/form-page.tsx';
import { instantFull, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView, ViewContext } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type PageAnswer, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { couponConsent, issuedCoupon, type CouponReach } from './issued-coupon.contract.ts';

const ROLES = { '1': 'platform', '2': 'merchant' } as const;

/** What a coupon gives, in the reader's language. */
function Value({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text(partsOfSaid(row.value))}</>;
}

const value = (row: RowData) => <Value row={row} />;
const CONSENT_SLOTS: ScreenSlots = { cells: { value } };

/** Questions that wait for merchants; nothing where none does. */
function Waiting() {
  const text = useText();
  const held = useHeld(couponConsent);
  const waiting = useQuery({
    queryKey: [...keysOf.all(couponConsent.name), 'waiting'],
    enabled: held('btn_consent'),
    queryFn: ({ signal }) =>
      call<PageAnswer>('GET', `${rootOf(couponConsent)}/page`, {
        query: { state: 'waiting', limit: 1 },
        signal,
        quiet: true,
      }),
  });
  const total = waiting.data?.total ?? 0;
  if (total === 0) return null;
  return (
    <details className="k-card coupon-waiting" open>
      <summary>{text(fill(['待商户确认承担（{n}）', 'Waiting for merchants ({n})'], { n: total }))}</summary>
      <ResourceTable
        resource={couponConsent}
        filters={{ state: 'waiting' }}
        columns={['coupon', 'value', 'merchant', 'bears', 'endsAt', 'askedAt']}
        limit={5}
        slots={CONSENT_SLOTS}
        onDone={() => void waiting.refetch()}
      />
    </details>
  );
}

const idsOf = (value: unknown) => ((value ?? []) as readonly RefValue[]).map((one) => String(one.id));

/** What the coupon covers, above how many goods that are. */
function CountedScope({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const choices = issuedCoupon.fields.scope!.choices!;
  const merchant = values.merchant as RefValue | null | undefined;
  const body = {
    scope: String(value ?? 'all'),
    classes: idsOf(values.classes),
    products: idsOf(values.products),
    excluded: idsOf(values.excluded),
    projects: idsOf(values.projects),
    ...(merchant?.id ? { merchant: String(merchant.id) } : {}),
  };
  const reach = useQuery({
    queryKey: [issuedCoupon.name, 'matching', JSON.stringify(body)],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      call<CouponReach>('POST', `${rootOf(issuedCoupon)}/matching`, { body, signal, quiet: true }),
  });
  const { data } = reach;
  return (
    <>
      <Segmented
        {...(id ? { id } : {})}
        aria-label={text(issuedCoupon.fields.scope!.label)}
        disabled={disabled}
        value={String(value ?? 'all')}
        onChange={(next) => onChange?.(next)}
        options={Object.entries(choices).map(([key, one]) => ({ value: key, label: text(one.label) }))}
      />
      <p className="k-quiet coupon-reach" aria-live="polite">
        {reach.isError
          ? text(['暂时无法统计适用商品', 'The goods cannot be counted now'])
          : data
            ? text(
                fill(
                  [
                    '当前适用 {products} 个在售商品，来自 {merchants} 个商户',
                    'Covers {products} goods for sale now, of {merchants} merchants',
                  ],
                  {
                    products: thousands(String(data.products)),
                    merchants: thousands(String(data.merchants)),
                  },
                ),
              )
            : text(['正在统计适用商品…', 'Counting the goods…'])}
      </p>
    </>
  );
}

const fenOf = (value: unknown): number | null => fenFromYuan(String(value ?? '')) ?? null;

/** The budget, with the most the coupon can cost and the card members will see. */
function Budget({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const terms = {
    type: values.type === 'discount' ? ('discount' as const) : ('cash' as const),
    face: fenOf(values.face),
    rate: values.rate ? Number(values.rate) : null,
    maxDiscount: fenOf(values.maxDiscount),
    threshold: fenOf(values.threshold) ?? 0,
    total: Number(values.total ?? 0),
    budget: fenOf(value),
  };
  const known =
    terms.type === 'cash' ? terms.face !== null : terms.rate !== null && terms.maxDiscount !== null;
  return (
    <>
      <FieldInput
        field={issuedCoupon.fields.budget!}
        value={value}
        disabled={disabled}
        onChange={(next) => onChange?.(next)}
        {...(id ? { id } : {})}
      />
      {known && (
        <div className="coupon-card-row coupon-reach">
          <section className="coupon-card" aria-label={text(['预览', 'Preview'])}>
            <strong>{text(valueText(terms))}</strong>
            <span>{String(values.name ?? '')}</span>
          </section>
          <p className="k-quiet">
            {text(
              fill(
                [
                  '最坏情况 ¥{most}（总量 × 面值或最高优惠，不超过预算）',
                  'Worst case ¥{most} (total × face or greatest discount, within the budget)',
                ],
                {
                  most: thousands(
                    yuanFromFen(Math.min(terms.budget ?? Infinity, terms.total * mostPerCoupon(terms))),
                  ),
                },
              ),
            )}
          </p>
        </div>
      )}
    </>
  );
}

const FUNNEL = ['total', 'claimed', 'used', 'refunded', 'expired'] as const;

/** The card as members see it, and how far its pieces came. */
function Card({ row }: { readonly row: RowData }) {
  const text = useText();
  const total = Math.max(1, Number(row.total));
  return (
    <div className="coupon-card-row">
      <section className="coupon-card" aria-label={text(['预览', 'Preview'])}>
        <strong>{text(partsOfSaid(row.value))}</strong>
        <span>{String(row.name)}</span>
        <span>
          {instantFull(String(row.startsAt)).slice(0, 10)} – {instantFull(String(row.endsAt)).slice(0, 10)}
        </span>
      </section>
      <section className="coupon-funnel" aria-label={text(['发放与使用', 'Issued and used'])}>
        {FUNNEL.map((name) => {
          const label = text(issuedCoupon.fields[name]!.label);
          const pieces = Number(row[name] ?? 0);
          return (
            <div key={name}>
              <span>{label}</span>
              <Progress percent={(100 * pieces) / total} showInfo={false} size="small" aria-label={label} />
              <span className="k-number">{thousands(String(pieces))}</span>
            </div>
          );
        })}
      </section>
    </div>
  );
}

const slots: ScreenSlots = {
  cells: { value },
  above: <Waiting />,
  inputs: { scope: (props) => <CountedScope {...props} />, budget: (props) => <Budget {...props} /> },
  detailAbove: (row) => <Card row={row} />,
  parts: { consents: CONSENT_SLOTS },
};

const NOT_FOUND: Label = ['404 页面不存在', '404 Page not found'];

function NotFound() {
  const text = useText();
  return (
    <div className="k-screen">
      <div className="k-state" role="alert">
        <strong>{text(NOT_FOUND)}</strong>
      </div>
    </div>
  );
}

/** A new coupon; whose it is is chosen, except by a merchant's own staff. `copyOf`: the coupon it begins as. */
function NewCoupon({ role, copyOf }: { readonly role: keyof typeof ROLES; readonly copyOf?: string }) {
  const view = useContext(ViewContext)!;
  const isMerchant = useSession((state) => state.info?.tenantType === 2);
  const mine = useMemo<ScreenSlots>(
    () => ({
      ...slots,
      createWith: { issuer: isMerchant ? 'merchant' : ROLES[role] },
      hiddenInputs: isMerchant
        ? ['issuer', 'merchant', 'bearerPercent']
        : role === '2'
          ? ['bearerPercent']
          : [],
    }),
    [isMerchant, role],
  );
  const place = useMemo(
    () => (copyOf === undefined ? view : { ...view, query: new URLSearchParams({ copy: copyOf }) }),
    [view, copyOf],
  );
  return (
    <ViewContext value={place}>
      <FormPage resource={issuedCoupon} slots={mine} id={undefined} />
    </ViewContext>
  );
}

/** A coupon under the role of its address, which must be its own. */
function OfRole({ id, role, copy }: { readonly id: string; readonly role: string; readonly copy: boolean }) {
  const row = useRow(issuedCoupon, id);
  if (row.isError) return <ErrorPanel error={row.error} onRetry={() => void row.refetch()} />;
  if (!row.data) return <ScreenWaits />;
  if (row.data.role !== role) return <NotFound />;
  return copy ? (
    <NewCoupon role={role as keyof typeof ROLES} copyOf={id} />
  ) : (
    <ScreenOf contract={issuedCoupon} slots={slots} />
  );
}

/** Coupons of both issuers: the list, and add, edit, view and copy at `…/:type/:id/:role`. */
function IssuedCoupons() {
  const { type, id, role } = useView().params;
  if (type === undefined) return <ScreenOf contract={issuedCoupon} slots={slots} />;
  if (!id || (role !== '1' && role !== '2')) return <NotFound />;
  if (type === 'add') return id === '0' ? <NewCoupon role={role} /> : <NotFound />;
  if (!['edit', 'view', 'copy'].includes(type)) return <NotFound />;
  return <OfRole key={id} id={id} role={role} copy={type === 'copy'} />;
}

/** Coupons of both issuers. */
export const screen = { contract: issuedCoupon, component: IssuedCoupons };
