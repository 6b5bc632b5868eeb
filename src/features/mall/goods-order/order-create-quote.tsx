import { moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { ExplainPanel } from './order-detail-parts.tsx';
import { Block } from './order-pieces.tsx';
import type { WireShares, WireStep } from './quote-wire.rules.ts';

/** Sums of a quote or of one of its orders; money as yuan text, `points` counts points. */
interface QuoteSums {
  readonly goods: string;
  readonly merchantCoupon: string;
  readonly platformCoupon: string;
  readonly pointsValue: string;
  readonly points: number;
  readonly coinsValue: string;
  readonly coins: number;
  readonly freight: string;
  readonly payable: string;
}

/** The answer of the live quote. */
export interface QuoteAnswer extends QuoteSums {
  readonly maxPoints: number;
  readonly pointsBalance: number;
  readonly maxCoins: number;
  readonly coinsBalance: number;
  readonly notices: readonly string[];
  readonly orders: readonly (QuoteSums & {
    readonly merchant: { readonly id: string; readonly title: string };
    readonly lines: readonly {
      readonly lineNo: number;
      readonly specId: string;
      readonly productName: string;
      readonly specName: string;
      readonly price: string;
      readonly qty: number;
      readonly goods: string;
      readonly cash: string;
      readonly shares: WireShares;
      readonly stock: number;
      readonly short: boolean;
    }[];
  })[];
  readonly coupons: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: 'chosen' | 'usable' | 'unusable';
    readonly discount: string;
    readonly reason: string | null;
  }[];
  readonly steps: readonly WireStep[];
}

/** The quote by merchant: every line with its shares and cash, freight, total; below it how it was computed. */
export function CartQuote({ quote }: { readonly quote: QuoteAnswer }) {
  const text = useText();
  const share = (value: string) => (value === '0.00' ? NOTHING : `−${moneyText(value)}`);
  return (
    <>
      {quote.orders.map((order) => (
        <Block
          key={order.merchant.id}
          title={[order.merchant.title, order.merchant.title]}
          extra={<MoneyText value={order.payable} strong />}
        >
          <table className="go-table">
            <thead>
              <tr>
                <th>{text(['商品', 'Goods'])}</th>
                <th className="k-number">{text(['金额', 'Amount'])}</th>
                <th className="k-number">{text(['商户券', 'Merchant coupon'])}</th>
                <th className="k-number">{text(['平台券', 'Platform coupon'])}</th>
                <th className="k-number">{text(['积分', 'Points'])}</th>
                {quote.coins > 0 && <th className="k-number">{text(['代币', 'Coins'])}</th>}
                <th className="k-number">{text(['现金', 'Cash'])}</th>
              </tr>
            </thead>
            <tbody>
              {order.lines.map((line) => (
                <tr key={line.lineNo}>
                  <td>
                    {line.productName}{' '}
                    <span className="k-quiet">
                      {line.specName} × {line.qty}
                    </span>
                    {line.short && (
                      <span className="k-bad">
                        {' '}
                        {text([`库存不足，仅剩${line.stock}件`, `Only ${line.stock} left`])}
                      </span>
                    )}
                  </td>
                  <td className="k-number">{moneyText(line.goods)}</td>
                  <td className="k-number">{share(line.shares.merchantCoupon)}</td>
                  <td className="k-number">{share(line.shares.platformCoupon)}</td>
                  <td className="k-number">{share(line.shares.pointsValue)}</td>
                  {quote.coins > 0 && <td className="k-number">{share(line.shares.coinsValue)}</td>}
                  <td className="k-number">{moneyText(line.cash)}</td>
                </tr>
              ))}
              <tr>
                <td colSpan={quote.coins > 0 ? 6 : 5}>{text(['运费', 'Freight'])}</td>
                <td className="k-number">{moneyText(order.freight)}</td>
              </tr>
            </tbody>
          </table>
        </Block>
      ))}
      <ExplainPanel steps={quote.steps} lines={quote.orders.flatMap((order) => order.lines)} />
    </>
  );
}
