import './decor-order.css';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Segmented } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { Instalments, Nodes, Prices, Warranty } from './decor-order-parts.tsx';
import { decorOrder } from './decor-order.contract.ts';

const SHEETS = {
  quote: { label: ['报价单', 'Quote'], from: undefined },
  contract: { label: ['合同清单', 'Contract'], from: 'signedAt' },
  acceptance: { label: ['竣工验收单', 'Acceptance'], from: 'acceptedAt' },
} as const satisfies Readonly<Record<string, { readonly label: Label; readonly from: string | undefined }>>;
type Sheet = keyof typeof SHEETS;

/** 打印: the quote, once signed the contract, once accepted the acceptance, printed by the browser. */
export function DecorPaper({ row, close }: ActionScreenProps) {
  const text = useText();
  const open = (Object.keys(SHEETS) as Sheet[]).filter((sheet) => {
    const { from } = SHEETS[sheet];
    return from === undefined || row![from];
  });
  const [sheet, setSheet] = useState<Sheet>(() => open.at(-1)!);
  return (
    <AppModal
      open
      width={860}
      title={text(['打印', 'Print'])}
      okText={text(['打印', 'Print'])}
      onOk={() => window.print()}
      onCancel={close}
    >
      <Segmented
        aria-label={text(['单据', 'Sheet'])}
        value={sheet}
        onChange={setSheet}
        options={open.map((key) => ({ value: key, label: text(SHEETS[key].label) }))}
      />
      <Paper row={row!} sheet={sheet} />
      {createPortal(
        <div className="decor-order-print">
          <Paper row={row!} sheet={sheet} />
        </div>,
        document.body,
      )}
    </AppModal>
  );
}

function Paper({ row, sheet }: { readonly row: RowData; readonly sheet: Sheet }) {
  const text = useText();
  const named = (value: unknown) =>
    String((value as { title?: string } | null | undefined)?.title ?? value ?? '–');
  const facts = (['customer', 'project', 'house', 'package', 'manager'] as const).map(
    (name) => [text(decorOrder.fields[name].label), named(row[name])] as const,
  );
  return (
    <article>
      <h2>
        {text(SHEETS[sheet].label)} {String(row.code)}
      </h2>
      {facts.map(([label, value]) => (
        <p key={label}>
          {label}：{value}
        </p>
      ))}
      <Prices row={row} />
      <p>
        <strong>
          {text(decorOrder.fields.price.label)}：{moneyText(String(row.price))}
        </strong>
      </p>
      {sheet === 'acceptance' ? (
        <>
          <Nodes row={row} />
          <Warranty row={row} />
        </>
      ) : (
        <Instalments row={row} />
      )}
      <p>
        {text(['客户签字', 'Customer'])}：＿＿＿＿＿＿＿＿　{text(['商户盖章', 'Merchant'])}：＿＿＿＿＿＿＿＿
      </p>
    </article>
  );
}
