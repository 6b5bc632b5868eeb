import type { ReactNode } from 'react';
import { useText } from '../../kernel/client/language.ts';

/** A few rows that come whole and need no paging; scrolls inside itself. */
export function PlainTable({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
}) {
  const text = useText();
  if (rows.length === 0) return <p className="k-quiet">{text(['暂无数据', 'Nothing yet'])}</p>;
  return (
    // Scrolls, so the keyboard must reach it.
    <div className="mon-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
