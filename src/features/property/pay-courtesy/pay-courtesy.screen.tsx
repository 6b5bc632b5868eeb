import type { RefValue } from '../../../kernel/contract/fields.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import '../house/house.css';
import { HouseLink } from '../house/house-link.tsx';
import { payCourtesy, payCourtesyGrant } from './pay-courtesy.contract.ts';

/** A text in both languages, in that of the reader. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) : NOTHING}</>;
}

const house: ScreenSlots = {
  cells: {
    house: (row) => <HouseLink house={row.house as RefValue | null} />,
    failure: (row) => <Said value={row.failure} />,
  },
};
const slots: ScreenSlots = {
  cells: { reward: (row) => <Said value={row.reward} /> },
  inputs: { coupon: (props) => <CouponInput {...props} /> },
  parts: { grants: house },
};

/** The coupon, where a coupon is the gift. */
function CouponInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const chosen = value as RefValue | null | undefined;
  const field = payCourtesy.fields.coupon;
  return (
    <RemoteSelect
      {...(id ? { id } : {})}
      target={field.target!}
      label={text(field.label)}
      placeholder={text(['请选择', 'Select'])}
      disabled={disabled || values.gift !== 'coupon'}
      value={chosen ? [chosen.id] : []}
      known={chosen ? { [chosen.id]: chosen.title } : {}}
      onChange={(_ids, entries) =>
        onChange?.(entries[0] ? { id: entries[0].id, title: entries[0].title } : undefined)
      }
    />
  );
}

/** Activities, and what payments got of all of them. */
function PayCourtesyScreen() {
  const text = useText();
  const view = useView();
  const grants = view.query.get('part') === 'grants';
  const strip = (
    <TabList
      label={text(payCourtesy.title)}
      className="house-tabs"
      tabs={[
        { key: 'activities', label: text(['活动', 'Activities']) },
        { key: 'grants', label: text(payCourtesyGrant.title) },
      ]}
      active={grants ? 'grants' : 'activities'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'grants' ? { part: 'grants' } : {}))}
    />
  );
  return grants ? (
    <ScreenOf key="grants" contract={payCourtesyGrant} slots={{ ...house, above: strip }} />
  ) : (
    <ScreenOf key="activities" contract={payCourtesy} slots={{ ...slots, above: strip }} />
  );
}

/** 缴费有礼. */
export const screen = { contract: payCourtesy, component: PayCourtesyScreen };
