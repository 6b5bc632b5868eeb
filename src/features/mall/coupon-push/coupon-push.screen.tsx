import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { couponPush } from './coupon-push.contract.ts';

const PhonesInput = lazyPart(() => import('./phones-input.tsx').then((module) => module.PhonesInput));
const { phones, excluded } = couponPush.fields;

/** Of the audience only what it asks for. */
const asked = inputsWhen(
  couponPush.fields,
  Object.fromEntries(
    Object.entries({
      projects: 'projects',
      grades: 'grades',
      buildings: 'buildings',
      product: 'bought',
      withinDays: 'bought',
      phones: 'phones',
    }).map(([name, audience]) => [name, (values) => values.audience === audience]),
  ),
);
const inputs: ScreenSlots['inputs'] = {
  ...asked,
  phones: (props) =>
    props.values.audience === 'phones' ? <PhonesInput {...props} field={phones} /> : asked.phones!(props),
  excluded: (props) => <PhonesInput {...props} field={excluded} />,
};
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
        inputs,
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
