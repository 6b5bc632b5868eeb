import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { couponPush } from './coupon-push.contract.ts';

const PushPreview = lazyPart(() => import('./push-preview.tsx').then((module) => module.PushPreview));

/** Why a row failed, in the reader's language. */
function Reason({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text(partsOfSaid(row.reason))}</>;
}

/** Targeted coupons, with people and cost before they are sent. */
function CouponPushScreen() {
  return (
    <ScreenOf
      contract={couponPush}
      slots={{
        parts: { results: { cells: { reason: (row) => <Reason row={row} /> } } },
        detailParts: [
          {
            key: 'preview',
            label: ['发送预览', 'Preview'] as const,
            render: (row) => <PushPreview row={row} />,
          },
        ],
      }}
    />
  );
}

/** Targeted coupons. */
export const screen = { contract: couponPush, component: CouponPushScreen };
