import { useState } from 'react';
import { Button } from 'antd';
import { WalletOutlined } from '@ant-design/icons';
import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { pointsGrantBatch, SEND_MENU } from './send.contract.ts';

const SendPreview = lazyPart(() => import('./send-preview.tsx').then((module) => module.SendPreview));
const BudgetDrawer = lazyPart(() => import('./send-budgets.tsx').then((module) => module.BudgetDrawer));

/** Why a line failed, in the reader's language. */
function Reason({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{row.reason ? text(partsOfSaid(row.reason)) : NOTHING}</>;
}

/** The file of a batch, fetched through the batch. */
function Attachment({ row }: { readonly row: RowData }) {
  const file = row.attachment as FileValue | null;
  if (!file) return <>{NOTHING}</>;
  const open = async () => {
    const ticket = await call<FileValue>('GET', `${rootOf(pointsGrantBatch)}/${row.id}/attachment`).catch(
      () => undefined,
    );
    if (ticket) window.open(ticket.url, '_blank', 'noopener');
  };
  return (
    <button type="button" className="k-link" onClick={() => void open()}>
      {file.name}
    </button>
  );
}

const OPEN = ['draft', 'rejected'];

/** What was frozen of a batch that was submitted. */
function Frozen({ row }: { readonly row: RowData }) {
  const text = useText();
  const [members, total] = [thousands(Number(row.members ?? 0)), thousands(Number(row.total ?? 0))];
  return (
    <p className="k-quiet">
      {text([
        `名单已在提交时冻结：${members} 人，共 ${total} 积分，见「发放明细」`,
        `Frozen when it was submitted: ${members} members, ${total} points in all; see “Lines”`,
      ])}
    </p>
  );
}

/** Opens the budgets, for who keeps them. */
function BudgetButton() {
  const text = useText();
  const held = useHeld(pointsGrantBatch);
  const [open, setOpen] = useState(false);
  if (!held('btn_budget')) return null;
  return (
    <>
      <Button icon={<WalletOutlined />} onClick={() => setOpen(true)}>
        {text(['预算', 'Budgets'])}
      </Button>
      {open && <BudgetDrawer close={() => setOpen(false)} />}
    </>
  );
}

const filtered = (values: Readonly<Record<string, unknown>>) => values.audience === 'filter';

const slots: ScreenSlots = {
  inputs: inputsWhen(pointsGrantBatch.fields, {
    expiresOn: (values) => values.validity === 'fixed',
    points: (values) => values.audience !== 'import',
    chosen: (values) => values.audience === 'chosen',
    identity: filtered,
    grades: filtered,
    registeredFrom: filtered,
    registeredTo: filtered,
    activeFrom: filtered,
    activeTo: filtered,
    hasActivity: filtered,
  }),
  cells: { attachment: (row) => <Attachment row={row} /> },
  toolbar: (
    <>
      <BudgetButton />
      <ImportButton
        element={`${SEND_MENU}:btn_add`}
        choice={{
          source: 'pointsSend',
          resource: pointsGrantBatch.name,
          title: ['积分发放名单', 'Members and points'],
          afterwards: [
            '名单已成为新的草稿批次，请补全名称、预算与原因后提交',
            'The members are a new draft: complete name, budget and reason, then submit it',
          ],
        }}
      />
    </>
  ),
  parts: { lines: { cells: { reason: (row) => <Reason row={row} /> } } },
  detailParts: [
    {
      key: 'preview',
      label: ['发放预览', 'Preview'],
      // Whom a batch goes to is frozen when it is submitted: what its filter matches by now is no preview of it.
      render: (row) => (OPEN.includes(String(row.state)) ? <SendPreview row={row} /> : <Frozen row={row} />),
    },
  ],
  dialogAbove: { submit: (row) => <SendPreview row={row} short /> },
};

/** Batches; `?view=budgets` of messages opens the budgets. */
function SendScreen() {
  const view = useView();
  return (
    <>
      <ScreenOf contract={pointsGrantBatch} slots={slots} />
      {view.query.get('view') === 'budgets' && (
        <BudgetDrawer close={() => view.setQuery(new URLSearchParams())} />
      )}
    </>
  );
}

/** Module of pointsSend. */
export const screen = { contract: pointsGrantBatch, component: SendScreen };
