import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import type { OptionEntry, RowData } from '../../../kernel/client/wire.ts';
import { recommendedProduct } from './recommended-product.contract.ts';

const slots: ScreenSlots = {
  cells: { hiddenBecause: (row) => <ShownCell row={row} /> },
  inputs: { products: (props) => <ProductsInput {...props} /> },
};

/** Recommended goods: goods are chosen among those on sale in the chosen project. */
function RecommendedProductScreen() {
  return <ScreenOf contract={recommendedProduct} slots={slots} />;
}

/** Goods of the chosen project. */
function ProductsInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const project = idOf(values.project);
  const chosen = (value as readonly OptionEntry[] | null | undefined) ?? [];
  return (
    <RemoteSelect
      {...(id ? { id } : {})}
      target="recommendable"
      label={text(recommendedProduct.fields.products.label)}
      placeholder={
        project
          ? text(['按名称、编号、业务搜索', 'Search by name, code or business'])
          : text(['请先选择项目', 'Choose the project first'])
      }
      multiple
      disabled={disabled || !project}
      value={chosen.map((one) => one.id)}
      known={Object.fromEntries(chosen.map((one) => [one.id, one.title]))}
      {...(project ? { within: project } : {})}
      onChange={(_ids, entries) => onChange?.(entries.map((one) => ({ id: one.id, title: one.title })))}
    />
  );
}

function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  return (value as { readonly id?: string } | null | undefined)?.id;
}

/** Grey with its reason where the goods cannot be shown. */
function ShownCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const reason = String(row.hiddenBecause);
  if (reason === 'shown' && row.state !== 'running')
    return <span className="k-quiet">{text(['未到展示时间', 'Not its time'])}</span>;
  if (reason === 'shown') return <StatusTag choice={{ label: ['展示中', 'Shown'], tone: 'success' }} />;
  const choice = recommendedProduct.fields.hiddenBecause.choices?.[reason];
  return choice ? <StatusTag choice={choice} /> : <>–</>;
}

/** Module of mm_commodityRecommenda. */
export const screen = { contract: recommendedProduct, component: RecommendedProductScreen };
