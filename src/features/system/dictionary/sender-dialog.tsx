import { useId, useState } from 'react';
import { Alert, Button, Input, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SENDER_SECRET_NAMES, type SenderSecret } from '../../../domain/message/sender.rules.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message, tellFault } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import type { SenderChannel, SenderState, SenderTest } from './sender.contract.ts';
import { settingPage } from './setting.contract.ts';

const ROOT = '/api/admin/messageSender';
const KEY = ['setting', 'sender'] as const;
const CHANNELS: Readonly<Record<SenderChannel, Label>> = { sms: ['短信', 'SMS'], email: ['邮件', 'E-mail'] };

/** How messages leave: the secrets of each way, write-only, and a test that goes the whole way. */
export function SenderDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const held = useHeld(settingPage);
  const language = useLanguageStore((state) => state.language);
  const [channel, setChannel] = useState<SenderChannel>('sms');
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...KEY, language],
    staleTime: 0,
    queryFn: ({ signal }) => call<SenderState>('GET', ROOT, { signal }),
  });
  const state = data?.channels[channel];
  return (
    <AppModal open title={text(['发送通道', 'Senders'])} footer={null} onCancel={onClose}>
      <TabList
        label={text(['消息类型', 'Kind of message'])}
        className="dict-parts"
        active={channel}
        onChange={(key) => setChannel(key as SenderChannel)}
        tabs={(['sms', 'email'] as const).map((key) => ({ key, label: text(CHANNELS[key]) }))}
      />
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !state ? (
        <Skeleton active paragraph={{ rows: 3 }} title={false} />
      ) : (
        <>
          <p>
            {text(['当前发送方式：', 'Leaves by: '])}
            <strong>{state.name}</strong>
          </p>
          {state.sender === 'sandbox' && (
            <Alert
              type="info"
              showIcon
              title={text([
                '沙箱中的消息只保存在系统内，不会发出',
                'Messages in the sandbox stay in the product and reach nobody',
              ])}
            />
          )}
          {held('btn_senderSecret') && (
            <ul className="dict-senders" aria-label={text(['密钥', 'Secrets'])}>
              {state.secrets.map((secret) => (
                <Secret key={secret.kind} secret={secret} />
              ))}
            </ul>
          )}
          {held('btn_testSender') && <Test key={channel} channel={channel} />}
        </>
      )}
    </AppModal>
  );
}

function Secret({ secret }: { readonly secret: SenderState['channels'][SenderChannel]['secrets'][number] }) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [typed, setTyped] = useState<string>();
  const name = text(SENDER_SECRET_NAMES[secret.kind]);
  const send = (path: string, method: 'PUT' | 'POST', body: object) =>
    guard.run(async () => {
      try {
        await call(method, `${ROOT}${path}`, { body, idempotencyKey: newIdempotencyKey() });
        setTyped(undefined);
        message.success(text(words.saved), 2);
      } catch (failure) {
        tellFault(failure);
      }
      await client.invalidateQueries({ queryKey: KEY });
    });
  const remove = async (kind: SenderSecret) => {
    const agreed = await ask({
      title: text(fill(['清除「{name}」？', 'Remove "{name}"?'], { name })),
      confirm: ['清除', 'Remove'],
      cancel: words.cancel,
    });
    if (agreed) await send('/secret/remove', 'POST', { kind });
  };
  return (
    <li>
      <div>{name}</div>
      <small className="k-quiet">
        {secret.setAt
          ? `${text(['已设置', 'Set'])} · ${secret.setBy ?? ''} ${instantFull(secret.setAt)}`
          : text(['未设置', 'Not set'])}
      </small>
      {typed === undefined ? (
        <span className="k-links">
          <button type="button" className="k-link" onClick={() => setTyped('')}>
            {text(secret.setAt ? ['更换', 'Replace'] : ['设置', 'Set'])}
            <span className="k-hidden"> {name}</span>
          </button>
          {secret.setAt && (
            <button type="button" className="k-link" onClick={() => void remove(secret.kind)}>
              {text(['清除', 'Remove'])}
              <span className="k-hidden"> {name}</span>
            </button>
          )}
        </span>
      ) : (
        <form
          className="dict-sender-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed !== '') void send('/secret', 'PUT', { kind: secret.kind, secret: typed });
          }}
        >
          <Input.Password
            autoFocus
            value={typed}
            maxLength={500}
            autoComplete="new-password"
            aria-label={name}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button htmlType="submit" type="primary" loading={guard.busy} disabled={typed === ''}>
            {text(words.save)}
          </Button>
          <Button onClick={() => setTyped(undefined)}>{text(words.cancel)}</Button>
        </form>
      )}
    </li>
  );
}

function Test({ channel }: { readonly channel: SenderChannel }) {
  const text = useText();
  const id = useId();
  const guard = useSubmitGuard();
  const [to, setTo] = useState('');
  const [sent, setSent] = useState<SenderTest>();
  const [problem, setProblem] = useState<string>();
  const {
    data = sent,
    isError,
    error,
  } = useQuery<SenderTest>({
    queryKey: [...KEY, 'test', channel, sent?.id],
    enabled: sent !== undefined,
    refetchInterval: (query) => (query.state.data && query.state.data.state !== 'queued' ? false : 1_000),
    queryFn: ({ signal }) => call<SenderTest>('GET', `${ROOT}/test/${channel}/${sent!.id}`, { signal }),
  });
  const start = () =>
    guard.run(async () => {
      setProblem(undefined);
      try {
        setSent(
          await call<SenderTest>('POST', `${ROOT}/test`, {
            body: { channel, to },
            idempotencyKey: newIdempotencyKey(),
          }),
        );
      } catch (failure) {
        if (failure instanceof ApiError) setProblem(Object.values(failure.fields)[0] ?? failure.message);
        else tellFault(failure);
      }
    });
  const label = channel === 'sms' ? text(['测试手机号', 'Phone']) : text(['测试邮箱', 'E-mail address']);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (to.trim() !== '') void start();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <div className="dict-sender-form">
        <Input
          id={id}
          value={to}
          maxLength={200}
          {...(problem ? { status: 'error' as const } : {})}
          aria-describedby={`${id}-told`}
          onChange={(event) => setTo(event.target.value)}
        />
        <Button htmlType="submit" type="primary" loading={guard.busy} disabled={to.trim() === ''}>
          {text(['测试发送', 'Send a test'])}
        </Button>
      </div>
      <div id={`${id}-told`} role="status">
        {problem ? (
          <Alert type="error" showIcon title={problem} />
        ) : isError ? (
          <Alert type="error" showIcon title={error.message} />
        ) : (
          data && <Told test={data} />
        )}
      </div>
    </form>
  );
}

function Told({ test }: { readonly test: SenderTest }) {
  const text = useText();
  switch (test.state) {
    case 'queued':
      return <Alert type="info" showIcon title={text(['正在发送…', 'Sending…'])} />;
    case 'sent':
      return (
        <Alert type="success" showIcon title={text(['服务商已接收', 'The provider took the message'])} />
      );
    case 'sandbox':
      return (
        <Alert
          type="warning"
          showIcon
          title={text(['已存入沙箱，没有发出', 'Kept in the sandbox: it reaches nobody'])}
        />
      );
    default:
      return (
        <Alert
          type="error"
          showIcon
          title={text(fill(['发送失败：{code}', 'Not sent: {code}'], { code: test.error ?? '–' }))}
        />
      );
  }
}
