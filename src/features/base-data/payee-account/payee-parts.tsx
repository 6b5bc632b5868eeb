import { useState } from 'react';
import { Alert, Button } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fieldsOf } from '../../../kernel/contract/resource.ts';
import { ASSIGNED_BUSINESS } from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { payeeAssignment } from './payee-assignment.contract.ts';
import { payeeChange } from './payee-change.contract.ts';

interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

const FIELDS: Readonly<Record<string, Field>> = { ...fieldsOf(payeeAssignment), ...fieldsOf(payeeAccount) };

/** What a change changes: old and new side by side. */
export function Differences({ changes }: { readonly changes: unknown }) {
  const text = useText();
  const list = (changes as readonly Difference[] | null) ?? [];
  const show = (field: string, value: unknown): string => {
    if (value === null || value === undefined || value === '') return '–';
    if (field === 'businessType')
      return String(value)
        .split(', ')
        .map((one) => text(ASSIGNED_BUSINESS[one as keyof typeof ASSIGNED_BUSINESS]?.label ?? [one, one]))
        .join(text(['、', ', ']));
    const choice = FIELDS[field]?.choices?.[String(value)];
    if (choice) return text(choice.label);
    if (typeof value === 'boolean') return text(value ? ['是', 'Yes'] : ['否', 'No']);
    if (FIELDS[field]?.kind === 'instant')
      return new Date(String(value)).toLocaleString('zh-CN', { timeZone: 'Asia/Shanghai', hour12: false });
    return field === 'feeRate' ? `${String(value)} ‰` : String(value);
  };
  return (
    <ul className="payee-difference">
      {list.map((one) => (
        <li key={one.field}>
          {text(FIELDS[one.field]?.label ?? [one.field, one.field])}
          {text(['：', ': '])}
          <del>{show(one.field, one.before)}</del> → <ins>{show(one.field, one.after)}</ins>
        </li>
      ))}
    </ul>
  );
}

/** State of a change, with the buttons of whoever may decide: they act on its account. */
export function ChangeButtons({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(payeeAccount);
  const client = useQueryClient();
  const account = row.account as { readonly id: string; readonly title: string } | null;
  const action = useAction(payeeAccount, {
    onDone: () => void client.invalidateQueries({ queryKey: keysOf.all(payeeChange.name) }),
  });
  const target = { id: account?.id ?? '', name: account?.title ?? '', actions: [] } as unknown as RowData;
  return (
    <span className="payee-inline">
      <StatusTag choice={payeeChange.states![String(row.state)]!} />
      {row.state === 'in_review' && held('btn_approve') && (
        <Button size="small" type="link" onClick={() => action.run('approve', target)}>
          {text(['通过', 'Approve'])}
        </Button>
      )}
      {row.state === 'in_review' && held('btn_reject') && (
        <Button size="small" type="link" danger onClick={() => action.run('reject', target)}>
          {text(['驳回', 'Reject'])}
        </Button>
      )}
      {action.element}
    </span>
  );
}

/** Says in the detail of an account what waits for approval. */
export function WaitingChange({ row }: { readonly row: RowData }) {
  const text = useText();
  const change = row.change as
    { readonly code: string; readonly proposer: string; readonly changes: unknown } | null | undefined;
  if (!change) return null;
  return (
    <Alert
      type="info"
      showIcon
      title={text([
        `变更 ${change.code} 待审批（提交人 ${change.proposer}），账户仍使用原资料`,
        `Change ${change.code} by ${change.proposer} waits for approval; the account goes on as it is`,
      ])}
      description={<Differences changes={change.changes} />}
    />
  );
}

/** The end of the number; all of it, for a while, for whoever may reveal it. */
export function NumberCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(payeeAccount);
  const guard = useSubmitGuard();
  const [clear, setClear] = useState<string>();
  const masked = String(row.number ?? '');
  if (masked === '') return <>–</>;
  const reveal = () =>
    guard.run(async () => {
      try {
        const answer = await call<{ number: string | null }>(
          'GET',
          `${rootOf(payeeAccount)}/${row.id}/reveal`,
        );
        setClear(answer.number ?? '–');
        setTimeout(() => setClear(undefined), 30_000);
      } catch (error) {
        tellFault(error);
      }
    });
  return (
    <span className="k-number">
      {clear ?? masked}
      {!clear && held('btn_reveal') && (
        <Button size="small" type="link" loading={guard.busy} onClick={reveal}>
          {text(['查看', 'Reveal'])}
        </Button>
      )}
    </span>
  );
}

const SECRETS: Readonly<Record<string, Label>> = {
  number: ['账号/商户号', 'Number'],
  apiKey: ['API v3 密钥', 'API v3 key'],
  privateKey: ['应用私钥', 'Private key'],
  certificate: ['商户证书', 'Merchant certificate'],
  publicKey: ['平台公钥或证书', 'Public key or certificates'],
};

/** What is kept sealed of an account: the end of each and when it was set. */
export function SecretsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const list = (row.secrets as readonly { kind: string; tail: string; setAt: string }[] | undefined) ?? [];
  if (list.length === 0)
    return <p className="k-quiet">{text(['没有密钥或证书', 'No keys and no certificate'])}</p>;
  return (
    <ul className="payee-difference">
      {list.map((one) => (
        <li key={one.kind}>
          {text(SECRETS[one.kind] ?? [one.kind, one.kind])}
          {text(['：已设置 · 尾号 ', ': set · ends with '])}
          {one.tail} · {one.setAt.slice(0, 10)}
        </li>
      ))}
    </ul>
  );
}

const STEPS: Readonly<Record<string, Label>> = {
  created: ['已下单', 'Ordered'],
  paid: ['已支付', 'Paid'],
  paid_late: ['超时后到账', 'Paid too late'],
  refunded: ['已退回', 'Refunded'],
  failed: ['失败', 'Failed'],
  closed: ['超时关闭', 'Closed'],
  confirmed: ['已确认到账', 'Confirmed'],
};

/** The steps of a test with their times. */
export function TestSteps({ steps }: { readonly steps: unknown }) {
  const text = useText();
  return (
    <ol className="payee-difference">
      {((steps as readonly { step: string; at: string }[] | undefined) ?? []).map((one) => (
        <li key={`${one.step}${one.at}`}>
          {text(STEPS[one.step] ?? [one.step, one.step])}{' '}
          <span className="k-quiet">{one.at.slice(11, 19)}</span>
        </li>
      ))}
    </ol>
  );
}
