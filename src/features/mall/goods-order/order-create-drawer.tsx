import { useState } from 'react';
import { Alert, Button, Checkbox, Input, InputNumber, Select } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { FocusFirst } from '../../../kernel/client/parts/focus-first.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { ORDER_ROOT, useOrderSubmit, useStill } from './order-calls.ts';
import { CartQuote, type QuoteAnswer } from './order-create-quote.tsx';
import { GoodsPicker, type PickedSpec } from './order-goods-picker.tsx';
import { Block, Field, Refused } from './order-pieces.tsx';
import { INVOICE_TYPES } from './order-words.rules.ts';

const action = goodsOrder.actions!.create!;
const input = action.input!;

interface FoundMember {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  /** Proof of this look-up; quote and order want it. */
  readonly ticket: string;
  readonly houses: readonly {
    readonly id: string;
    readonly address: string;
    readonly projectId: string;
    readonly projectName: string;
  }[];
}

/** 代客下单: member by phone, address, goods, coupons, points; the quote is live and what it shows is what is ordered. */
export function OrderCreateDrawer({ close, done }: ActionScreenProps) {
  const text = useText();
  const submit = useOrderSubmit();
  const [phone, setPhone] = useState('');
  const [house, setHouse] = useState<string>();
  const [project, setProject] = useState<readonly string[]>([]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [cart, setCart] = useState<readonly PickedSpec[]>([]);
  const [coupons, setCoupons] = useState<'best' | readonly string[]>('best');
  const [points, setPoints] = useState<number | 'max'>(0);
  const [coins, setCoins] = useState<number | 'max'>(0);
  const isPhone = /^1\d{10}$/.test(phone.trim());
  const { data: members, isFetching: searching } = useQuery({
    queryKey: ['goodsOrder', 'member', phone.trim()],
    enabled: isPhone,
    queryFn: ({ signal }) =>
      call<readonly FoundMember[]>('GET', `${ORDER_ROOT}/member`, { query: { phone: phone.trim() }, signal }),
  });
  const member = isPhone ? members?.[0] : undefined;
  const ownHouse = member?.houses.find((one) => one.id === (house ?? member.houses[0]?.id));
  const elsewhere = house === 'other' || (member !== undefined && member.houses.length === 0);
  const projectId = elsewhere ? project[0] : ownHouse?.projectId;
  const asked = useStill({
    memberId: member?.id,
    memberTicket: member?.ticket,
    ...(elsewhere ? { projectId: project[0] } : { houseId: ownHouse?.id }),
    lines: cart.map((one) => ({ specId: one.id, qty: one.qty })),
    coupons,
    points,
    coins,
  });
  const {
    data: quote,
    error: quoteError,
    isFetching,
  } = useQuery({
    queryKey: ['goodsOrder', 'quote', asked],
    enabled: asked.memberId !== undefined && projectId !== undefined && asked.lines.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<QuoteAnswer>('POST', `${ORDER_ROOT}/quote`, { body: asked, signal, quiet: true }),
  });
  const dirty = member !== undefined || cart.length > 0;
  const { leave, forget } = useLeave(dirty, close);
  const short = quote?.orders.some((order) => order.lines.some((line) => line.short)) ?? false;
  const isCurrent =
    JSON.stringify(asked.lines) === JSON.stringify(cart.map((one) => ({ specId: one.id, qty: one.qty })));
  const ready =
    member &&
    cart.length > 0 &&
    quote &&
    !quoteError &&
    !isFetching &&
    isCurrent &&
    !short &&
    (!elsewhere || (values.address ?? '').trim().length >= 5) &&
    invoiceFields(values.invoiceType ?? '0').every((name) => (values[name] ?? '').trim() !== '');
  const invoiceType = (values.invoiceType ?? '0') as keyof typeof INVOICE_TYPES;
  const change = (name: string) => (value: string) => setValues({ ...values, [name]: value });
  const send = () =>
    ready &&
    submit.send(
      '',
      {
        member: member.id,
        memberTicket: member.ticket,
        ...(elsewhere ? { project: project[0], address: values.address!.trim() } : { house: ownHouse!.id }),
        lines: asked.lines,
        coupons: quote.coupons.filter((coupon) => coupon.state === 'chosen').map((coupon) => coupon.id),
        points: quote.points,
        coins: quote.coins,
        shownTotal: quote.payable,
        ...(invoiceType === '0' ? {} : { invoiceType }),
        ...Object.fromEntries(
          ['contactName', 'contactPhone', 'remark', ...invoiceFields(invoiceType)].flatMap((name) =>
            values[name]?.trim() ? [[name, values[name].trim()]] : [],
          ),
        ),
      },
      (answer) => {
        forget();
        done((answer.result as { orderIds: readonly string[] } | undefined)?.orderIds ?? [answer.id]);
      },
    );
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={1040}
      title={text(action.label)}
      onClose={leave}
      footer={
        <div className="go-foot">
          <span aria-live="polite">
            {quote && (
              <>
                {text(['应付', 'To pay'])} <MoneyText value={quote.payable} strong />{' '}
                {quote.orders.length > 1 &&
                  text([`（${quote.orders.length} 个订单）`, `(${quote.orders.length} orders)`])}
              </>
            )}
          </span>
          <Button onClick={leave}>{text(words.cancel)}</Button>
          <Button type="primary" disabled={!ready || submit.locked} loading={submit.busy} onClick={send}>
            {text(['提交订单', 'Place the order'])}
          </Button>
        </div>
      }
    >
      <FocusFirst />
      <Refused
        error={submit.error}
        fields={['contactName', 'contactPhone', 'address', 'remark', 'invoiceName', 'dutyCode']}
      />
      <Block title={['会员与收货', 'Member and receiver']}>
        <div className="go-two">
          <Field
            id="go-phone"
            label={input.member!.label}
            required
            problem={
              isPhone && !searching && members?.length === 0
                ? text(['没有此手机号的会员', 'No member has this phone number'])
                : undefined
            }
            help={['输入完整手机号', 'Enter the whole phone number']}
          >
            <Input
              id="go-phone"
              inputMode="numeric"
              maxLength={11}
              value={phone}
              onChange={(event) => setPhone(event.target.value)}
              suffix={member ? `${member.name} ${member.phone}` : undefined}
            />
          </Field>
          {member && (
            <Field id="go-house" label={['收货地址', 'Address']} required>
              <Select
                id="go-house"
                className="k-fill"
                value={elsewhere ? 'other' : (ownHouse?.id ?? null)}
                onChange={(value) => setHouse(value as string)}
                options={[
                  ...member.houses.map((one) => ({ value: one.id, label: one.address })),
                  { value: 'other', label: text(['其他地址', 'Another address']) },
                ]}
              />
            </Field>
          )}
          {member && elsewhere && (
            <>
              <Field id="go-project" label={input.project!.label} required>
                <RemoteSelect
                  id="go-project"
                  target="project"
                  label={text(input.project!.label)}
                  value={project}
                  known={{}}
                  onChange={(ids) => setProject(ids)}
                />
              </Field>
              <Field
                id="go-address"
                label={input.address!.label}
                required
                problem={submit.error?.fields.address}
                help={['5–100个字', '5–100 characters']}
              >
                <Input
                  id="go-address"
                  maxLength={100}
                  value={values.address ?? ''}
                  onChange={(event) => change('address')(event.target.value)}
                />
              </Field>
            </>
          )}
          {member &&
            (['contactName', 'contactPhone'] as const).map((name) => (
              <Field
                key={name}
                id={`go-${name}`}
                label={input[name]!.label}
                problem={submit.error?.fields[name]}
                help={['不填则为会员本人', 'Empty: the member']}
              >
                <Input
                  id={`go-${name}`}
                  maxLength={20}
                  placeholder={name === 'contactName' ? member.name : member.phone}
                  value={values[name] ?? ''}
                  onChange={(event) => change(name)(event.target.value)}
                />
              </Field>
            ))}
        </div>
      </Block>
      {projectId !== undefined && (
        <Block title={['商品', 'Goods']}>
          <GoodsPicker
            projectId={projectId}
            chosen={cart}
            onPick={(spec) => setCart([...cart, { ...spec, qty: 1 }])}
          />
          {cart.length > 0 && (
            <table className="go-table">
              <tbody>
                {cart.map((one) => (
                  <tr key={one.id}>
                    <td>
                      {one.productName}{' '}
                      <span className="k-quiet">
                        {one.specName} · {one.merchant.title}
                      </span>
                    </td>
                    <td className="k-number">{moneyText(one.price)}</td>
                    <td>
                      <InputNumber
                        aria-label={`${one.productName} ${text(['数量', 'Quantity'])}`}
                        min={1}
                        max={9_999}
                        precision={0}
                        value={one.qty}
                        onChange={(qty) =>
                          setCart(
                            cart.map((other) => (other.id === one.id ? { ...other, qty: qty ?? 1 } : other)),
                          )
                        }
                      />
                    </td>
                    <td>
                      <button
                        type="button"
                        className="k-link"
                        onClick={() => setCart(cart.filter((other) => other.id !== one.id))}
                      >
                        {text(words.remove)}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Block>
      )}
      {quoteError && cart.length > 0 && <Alert type="warning" showIcon title={quoteError.message} />}
      {quote && cart.length > 0 && (
        <>
          <Block title={['优惠', 'Discounts']}>
            <Checkbox
              checked={coupons === 'best'}
              onChange={(event) => setCoupons(event.target.checked ? 'best' : [])}
            >
              {text(['自动使用最优优惠券', 'Use the best coupons'])}
            </Checkbox>
            <ul className="go-coupons">
              {quote.coupons.map((coupon) => (
                <li key={coupon.id}>
                  <Checkbox
                    disabled={coupons === 'best' || coupon.state === 'unusable'}
                    checked={coupon.state === 'chosen'}
                    onChange={(event) =>
                      setCoupons(
                        event.target.checked
                          ? [...(coupons === 'best' ? [] : coupons), coupon.id]
                          : (coupons as readonly string[]).filter((one) => one !== coupon.id),
                      )
                    }
                  >
                    {coupon.name}
                  </Checkbox>
                  <span className={coupon.state === 'unusable' ? 'k-quiet' : 'k-number'}>
                    {coupon.reason ?? `−${moneyText(coupon.discount)}`}
                  </span>
                </li>
              ))}
            </ul>
            <div className="go-points">
              <label htmlFor="go-points">{text(input.points!.label)}</label>
              <InputNumber
                id="go-points"
                min={0}
                max={quote.maxPoints}
                precision={0}
                value={points === 'max' ? quote.points : points}
                onChange={(value) => setPoints(value ?? 0)}
              />
              <Button size="small" disabled={quote.maxPoints === 0} onClick={() => setPoints('max')}>
                {text(['用到上限', 'Use the most'])}
              </Button>
              <span className="k-quiet k-small">
                {text([
                  `余额 ${quote.pointsBalance}，本单最多 ${quote.maxPoints}`,
                  `Balance ${quote.pointsBalance}, at most ${quote.maxPoints} here`,
                ])}
              </span>
            </div>
            {quote.coinsBalance > 0 && (
              <div className="go-points">
                <label htmlFor="go-coins">{text(input.coins!.label)}</label>
                <InputNumber
                  id="go-coins"
                  min={0}
                  max={quote.maxCoins}
                  precision={0}
                  value={coins === 'max' ? quote.coins : coins}
                  onChange={(value) => setCoins(value ?? 0)}
                />
                <Button size="small" disabled={quote.maxCoins === 0} onClick={() => setCoins('max')}>
                  {text(['用到上限', 'Use the most'])}
                </Button>
                <span className="k-quiet k-small">
                  {text([
                    `余额 ${quote.coinsBalance}，本单最多 ${quote.maxCoins}`,
                    `Balance ${quote.coinsBalance}, at most ${quote.maxCoins} here`,
                  ])}
                </span>
              </div>
            )}
            {quote.notices.map((notice) => (
              <p key={notice} className="k-bad k-small">
                {notice}
              </p>
            ))}
          </Block>
          <CartQuote quote={quote} />
        </>
      )}
      {member && (
        <Block title={['发票', 'Invoice']}>
          <div className="go-two">
            <Field id="go-invoice" label={input.invoiceType!.label}>
              <Select
                id="go-invoice"
                className="k-fill"
                value={invoiceType}
                onChange={(value) => change('invoiceType')(value as string)}
                options={Object.entries(INVOICE_TYPES).map(([value, one]) => ({
                  value,
                  label: text(one.label),
                }))}
              />
            </Field>
            {invoiceFields(invoiceType).map((name) => (
              <Field
                key={name}
                id={`go-${name}`}
                label={input[name]!.label}
                required
                problem={submit.error?.fields[name]}
              >
                <Input
                  id={`go-${name}`}
                  maxLength={input[name]!.max!}
                  value={values[name] ?? ''}
                  onChange={(event) =>
                    change(name)(name === 'dutyCode' ? event.target.value.toUpperCase() : event.target.value)
                  }
                />
              </Field>
            ))}
          </div>
        </Block>
      )}
      {member && (
        <Field id="go-remark" label={input.remark!.label} problem={submit.error?.fields.remark}>
          <Input.TextArea
            id="go-remark"
            rows={2}
            maxLength={200}
            value={values.remark ?? ''}
            onChange={(event) => change('remark')(event.target.value)}
          />
        </Field>
      )}
    </AppDrawer>
  );
}

/** What an invoice of this kind needs. */
function invoiceFields(type: string): readonly ('invoiceName' | 'dutyCode')[] {
  return type === '0' ? [] : type === '1' ? ['invoiceName'] : ['invoiceName', 'dutyCode'];
}
