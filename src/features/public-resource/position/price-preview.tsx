import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { position } from './position.contract.ts';
import { nextPrice, type PriceWay } from './position.rules.ts';
import './position.css';

/** Rows the preview shows; what follows changes alike. */
const SHOWN = 8;

/** The amount of a change of prices, and what the chosen positions would cost with it. */
export function PricePreview({ id, value, onChange, values, rows, disabled }: SlotInputProps) {
  const text = useText();
  const way = (values.way as PriceWay | undefined) ?? 'percent';
  const percent = Number(values.percent ?? '');
  const amount = fenFromYuan(String(value ?? '')) ?? 0;
  const filled = way === 'percent' ? Number.isInteger(percent) && percent !== 0 : amount !== 0;
  const changed = rows.map((row) => {
    const old = fenFromYuan(String(row.listPrice)) ?? 0;
    const next = nextPrice(old, way, percent, amount);
    return { row, old, next, low: next < 1 || next < (fenFromYuan(String(row.floorPrice ?? '0')) ?? 0) };
  });
  const low = changed.filter((one) => one.low).length;
  return (
    <>
      <FieldInput
        {...(id ? { id } : {})}
        field={position.actions!.price.input!.amount!}
        value={value}
        onChange={(next) => onChange?.(next)}
        disabled={disabled}
      />
      {filled && rows.length > 0 && (
        <table className="ps-preview">
          <caption>
            {text([`预览：${rows.length} 个点位`, `Preview: ${rows.length} positions`])}
            {low > 0 && (
              <b className="k-bad">
                {text([
                  `，其中 ${low} 个低于底价，不会调整`,
                  `; ${low} below the floor price stay as they are`,
                ])}
              </b>
            )}
          </caption>
          <thead>
            <tr>
              <th scope="col">{text(position.fields.code.label)}</th>
              <th scope="col">{text(['原价', 'Now'])}</th>
              <th scope="col">{text(['新价', 'New'])}</th>
            </tr>
          </thead>
          <tbody>
            {changed.slice(0, SHOWN).map(({ row, old, next, low: below }) => (
              <tr key={row.id}>
                <th scope="row">{String(row.code)}</th>
                <td>
                  <MoneyText value={yuanFromFen(old)} />
                </td>
                <td className={below ? 'k-bad' : ''}>
                  <MoneyText value={yuanFromFen(next)} />
                  {below && ` ${text(['低于底价', 'below the floor'])}`}
                </td>
              </tr>
            ))}
          </tbody>
          {changed.length > SHOWN && (
            <tfoot>
              <tr>
                <td colSpan={3} className="k-quiet">
                  {text([`另有 ${changed.length - SHOWN} 个`, `${changed.length - SHOWN} more`])}
                </td>
              </tr>
            </tfoot>
          )}
        </table>
      )}
    </>
  );
}
