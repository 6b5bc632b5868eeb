import { useEffect, useId, useRef, useState } from 'react';
import { Button, Form, Input, Select, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { ConflictPanel } from '../../../kernel/client/form/conflict-panel.tsx';
import { DraftOffer } from '../../../kernel/client/form/draft-offer.tsx';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { SubmitBar } from '../../../kernel/client/form/resource-form.tsx';
import { useResourceForm } from '../../../kernel/client/form/use-resource-form.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { FocusFirst } from '../../../kernel/client/parts/focus-first.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { message } from '../../../kernel/client/feedback.ts';
import type { ActionScreenProps, SlotInputProps } from '../../../kernel/client/slots.ts';
import { formWords } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { ASSIGNED_BUSINESS } from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from './payee-account.contract.ts';

/** Fields that only some channels have. */
const OF_CHANNEL: Readonly<Record<string, readonly string[]>> = {
  bank: ['bank'],
  branch: ['bank'],
  bankLineNo: ['bank'],
  appId: ['alipay', 'wechat'],
  apiKey: ['wechat'],
  certificate: ['wechat'],
  privateKey: ['alipay', 'wechat'],
  publicKey: ['alipay'],
};

/** Add and edit an account: asked is what its channel needs. Changes of an account in use are handed in for approval. */
export function PayeeForm({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const view = useView();
  const [dirty, setDirty] = useState(false);
  const mayLeave = useLeaveQuestion();
  const id = row?.id;
  const loaded = useQuery({
    queryKey: [...keysOf.row(payeeAccount.name, id ?? ''), 'form'],
    enabled: id !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(payeeAccount)}/${encodeURIComponent(id!)}`, { signal }),
  });
  const leave = async () => {
    if (dirty && !(await mayLeave())) return;
    view.setDirty(false);
    close();
  };
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={payeeAccount.form!.width!}
      title={
        row
          ? `${text(payeeAccount.actions!.update!.label)} ${String(row.name)}`
          : text(['新增收款账户', 'Add a payee account'])
      }
      onClose={() => void leave()}
      rootClassName="k-form-drawer"
    >
      {id !== undefined && loaded.isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : id !== undefined && loaded.isError ? (
        <ErrorPanel error={loaded.error} onRetry={() => void loaded.refetch()} />
      ) : (
        <>
          <FocusFirst />
          <AccountForm
            row={loaded.data}
            onSaved={(saved) => {
              if ((saved.change ?? null) !== null)
                message.success(text(['变更已提交，审批通过后生效', 'The change waits for approval']), 2);
              done([saved.id]);
            }}
            onCancel={() => void leave()}
            onDirty={setDirty}
          />
        </>
      )}
    </AppDrawer>
  );
}

function AccountForm(props: {
  readonly row: RowData | undefined;
  readonly onSaved: (row: RowData) => void;
  readonly onCancel: () => void;
  readonly onDirty: (dirty: boolean) => void;
}) {
  const { row, onDirty } = props;
  const text = useText();
  const formName = `p${useId().replace(/\W/g, '')}`;
  const state = useResourceForm({
    resource: payeeAccount,
    row,
    formName,
    first: FIRST,
    onSaved: props.onSaved,
  });
  const { dirty } = state;
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const typed = Form.useWatch('channel', state.form) as string | undefined;
  const channel = (row?.channel as string | undefined) ?? typed;
  const sections = payeeAccount
    .form!.sections.map((section) => ({
      title: section.title,
      note: section.note,
      fields: section.fields.filter(
        (name) =>
          state.names.includes(name) &&
          (!OF_CHANNEL[name] || (channel !== undefined && OF_CHANNEL[name].includes(channel))),
      ),
    }))
    .filter((section) => section.fields.length > 0);
  return (
    <div className="k-form-host">
      <div className="k-form-body">
        {state.draft && !dirty && (
          <DraftOffer draft={state.draft} onRestore={state.restoreDraft} onDrop={state.discardDraft} />
        )}
        {state.conflict && (
          <ConflictPanel fields={payeeAccount.fields} conflict={state.conflict} onResolve={state.resolve} />
        )}
        <FieldForm
          form={state.form}
          name={formName}
          fields={payeeAccount.fields}
          sections={sections}
          columns={2}
          initial={state.initial}
          inputs={{
            certificate: (input) => <PemInput {...input} />,
            privateKey: (input) => <PemInput {...input} />,
            publicKey: (input) => <PemInput {...input} />,
          }}
          rows={row ? [row] : []}
          onChange={state.changed}
          onSubmit={state.submit}
        />
      </div>
      <SubmitBar
        note={
          state.problems > 0 && (
            <span className="k-problem" role="alert">
              {text(fill(formWords.problems, { n: state.problems }))}
            </span>
          )
        }
        busy={state.busy}
        locked={state.locked}
        onSubmit={() => state.submit()}
        onCancel={props.onCancel}
      />
    </div>
  );
}

const FIRST = { feeRate: '6.00', feeBearer: 'platform', feeRefundable: true };

/** A key or certificate: pasted, or read from a file on this computer. */
export function PemInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div>
      <Input.TextArea
        {...(id ? { id } : {})}
        value={(value as string | undefined) ?? ''}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        className="k-code"
        autoSize={{ minRows: 3, maxRows: 6 }}
        placeholder="-----BEGIN …"
        onChange={(event) => onChange?.(event.target.value)}
      />
      <input
        ref={picker}
        type="file"
        hidden
        accept=".pem,.crt,.cer,.key,.txt"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file && file.size <= 64 * 1024) void file.text().then((content) => onChange?.(content));
          event.target.value = '';
        }}
      />
      <Button size="small" disabled={disabled} onClick={() => picker.current?.click()}>
        {text(['选择文件', 'Choose a file'])}
      </Button>
    </div>
  );
}

/** Business types of an assignment: several, or all of them. */
export function BusinessInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  return (
    <Select
      {...(id ? { id } : {})}
      mode="multiple"
      className="k-fill"
      disabled={disabled}
      value={(value as string[] | undefined) ?? []}
      aria-label={text(['业务', 'Business types'])}
      options={Object.entries(ASSIGNED_BUSINESS).map(([word, choice]) => ({
        value: word,
        label: text(choice.label),
      }))}
      // All of them leaves nothing to add.
      onChange={(chosen: string[]) =>
        onChange?.(chosen.at(-1) === '*' ? ['*'] : chosen.filter((one) => one !== '*'))
      }
    />
  );
}
