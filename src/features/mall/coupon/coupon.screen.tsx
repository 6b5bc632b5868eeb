import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { coupon } from './coupon.contract.ts';

const slots = { cells: { value: (row: RowData) => <Value row={row} /> } };

/** What a coupon gives, in the reader's language. */
function Value({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text(partsOfSaid(row.value))}</>;
}

/** Coupons. */
function CouponScreen() {
  return <ScreenOf contract={coupon} slots={slots} />;
}

/** Coupons. */
export const screen = { contract: coupon, component: CouponScreen };
