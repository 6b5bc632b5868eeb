import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { couponPush } from './coupon-push.contract.ts';

const PushPreview = lazyPart(() => import('./push-preview.tsx').then((module) => module.PushPreview));

/** Targeted coupons, with people and cost before they are sent. */
function CouponPushScreen() {
  return (
    <ScreenOf
      contract={couponPush}
      slots={{
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
