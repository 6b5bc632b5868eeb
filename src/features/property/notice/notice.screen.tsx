import type { RefValue } from '../../../kernel/contract/fields.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { IDENTITIES } from '../../../domain/residents/registration.rules.ts';
import { notice } from './notice.contract.ts';

const NoticePreview = lazyPart(() => import('./notice-parts.tsx').then((module) => module.NoticePreview));
const Audience = lazyPart(() => import('./notice-parts.tsx').then((module) => module.Audience));

const slots: ScreenSlots = {
  cells: {
    identities: (row) => <Identities value={(row.identities ?? []) as readonly RefValue[]} />,
    buildings: (row) => <Chosen value={row.buildings} empty={['全部楼栋', 'All buildings']} />,
    units: (row) => <Chosen value={row.units} empty={['全部单元', 'All units']} />,
  },
  inputs: {
    buildings: (props) => <Within {...props} field="buildings" of="projects" />,
    units: (props) => <Within {...props} field="units" of="buildings" />,
  },
  dialogAbove: {
    publish: (row) => <Audience row={row} />,
    approve: (row) => <Audience row={row} />,
  },
  detailParts: [
    { key: 'preview', label: ['手机预览', 'Preview'], render: (row) => <NoticePreview row={row} /> },
  ],
};

/** Notices: the default list, with the audience told before they go out and their look on a phone. */
function NoticeScreen() {
  return <ScreenOf contract={notice} slots={slots} />;
}

/** Property notices. */
export const screen = { contract: notice, component: NoticeScreen };

/** Buildings of the chosen projects, units of the chosen buildings. */
function Within({
  id,
  value,
  onChange,
  values,
  disabled,
  field,
  of,
}: SlotInputProps & { readonly field: 'buildings' | 'units'; readonly of: 'projects' | 'buildings' }) {
  const text = useText();
  const above = ((values[of] ?? []) as readonly RefValue[]).map((one) => one.id);
  const chosen = (value ?? []) as readonly RefValue[];
  const { label, target, help } = notice.fields[field];
  const waits = above.length === 0;
  return (
    <RemoteSelect
      {...(id ? { id } : {})}
      target={target!}
      label={text(label)}
      placeholder={
        waits
          ? text(
              of === 'projects'
                ? ['请先选择项目', 'Choose the projects first']
                : ['请先选择楼栋', 'Choose buildings first'],
            )
          : text(help!)
      }
      multiple
      disabled={disabled || (waits && chosen.length === 0)}
      value={chosen.map((one) => one.id)}
      known={Object.fromEntries(chosen.map((one) => [one.id, one.title]))}
      {...(waits ? {} : { within: above.join(',') })}
      onChange={(_ids, entries) => onChange?.(entries.map((one) => ({ id: one.id, title: one.title })))}
    />
  );
}

function Identities({ value }: { readonly value: readonly RefValue[] }) {
  const text = useText();
  if (value.length === 0) return <>{text(['全部住户', 'Everybody'])}</>;
  return (
    <>
      {value
        .map((one) => {
          const known = Object.values(IDENTITIES).find((identity) => String(identity.code) === one.id);
          return known ? text(known.label) : one.title;
        })
        .join(text(['、', ', ']))}
    </>
  );
}

function Chosen({ value, empty }: { readonly value: unknown; readonly empty: readonly [string, string] }) {
  const text = useText();
  const chosen = (value ?? []) as readonly RefValue[];
  return <>{chosen.length === 0 ? text(empty) : chosen.map((one) => one.title).join(text(['、', ', ']))}</>;
}
