import { Alert } from 'antd';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { houseType } from './house-type.contract.ts';

const BindDialog = lazyPart(() => import('./house-type-parts.tsx').then((module) => module.BindDialog));
const BoundHouses = lazyPart(() => import('./house-type-parts.tsx').then((module) => module.BoundHouses));

const slots: ScreenSlots = {
  cells: {
    shape: (row) => <Shape row={row} />,
    houses: (row) => <Houses row={row} />,
    packages: (row) => <Packages row={row} />,
  },
  toolbar: (
    <ImportButton
      element={`${houseType.menu}:btn_import`}
      choice={{ source: 'houseType', resource: houseType.name, title: ['户型', 'House types'] }}
    />
  ),
  inputs: { builtArea: (props) => <AreaInput {...props} /> },
  actionScreens: { bind: (props) => <BindDialog {...props} /> },
  detailParts: [
    { key: 'houses', label: ['绑定房屋', 'Bound houses'], render: (row) => <BoundHouses row={row} /> },
  ],
};

/** The built area, and what a change of areas leaves as it is. */
function AreaInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const inUse = Number(rows[0]?.inUse ?? 0);
  return (
    <>
      <FieldInput
        {...(id ? { id } : {})}
        field={houseType.fields.builtArea}
        value={value}
        {...(onChange ? { onChange } : {})}
        disabled={disabled}
      />
      {inUse > 0 && (
        <Alert
          type="warning"
          showIcon
          title={text([
            `修改面积不影响已发送的 ${inUse} 个报价与订单`,
            `Changed areas leave ${inUse} sent quotes and orders as they are`,
          ])}
        />
      )}
    </>
  );
}

/** Rooms at a glance. */
function Shape({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  const shape = String(row.shape ?? '');
  if (language === 'zh') return <>{shape}</>;
  const [bedrooms, halls, baths] = shape.match(/\d+/g) ?? [];
  return (
    <>
      {bedrooms} bed · {halls} living · {baths} bath
    </>
  );
}

/** Houses of the type; a click shows which. */
function Houses({ row }: { readonly row: RowData }) {
  const view = useView();
  const text = useText();
  const count = Number(row.houses ?? 0);
  if (count === 0) return <span className="k-number">0</span>;
  return (
    <button
      type="button"
      className="k-link k-number"
      aria-label={text([`${count} 套房屋`, `${count} houses`])}
      onClick={(event) => {
        event.stopPropagation();
        view.open(`${view.path}?detail=${row.id}`);
      }}
    >
      {count}
    </button>
  );
}

/** Packages sold for the type; a click shows which. */
function Packages({ row }: { readonly row: RowData }) {
  const view = useView();
  const text = useText();
  const count = Number(row.packages ?? 0);
  const path = `/mercureManager/mj_mercureCommodity?houseType=${row.id}&state=published`;
  if (count === 0 || !view.mayOpen(path)) return <span className="k-number">{count}</span>;
  return (
    <button
      type="button"
      className="k-link k-number"
      aria-label={text([`${count} 个在售套餐`, `${count} packages on sale`])}
      onClick={(event) => {
        event.stopPropagation();
        view.open(path);
      }}
    >
      {count}
    </button>
  );
}

function HouseTypes() {
  return <ScreenOf contract={houseType} slots={slots} />;
}

/** 户型管理. */
export const screen = { contract: houseType, component: HouseTypes };
