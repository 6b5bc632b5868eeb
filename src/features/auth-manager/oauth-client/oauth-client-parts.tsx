import { useState, type ReactNode } from 'react';
import { Alert, Button, Select, Skeleton, Table, Tag } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, ask, tellFault } from '../../../kernel/client/feedback.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { useTabLeaves } from '../../../kernel/client/parts/tab-leaves.ts';
import type { ActionScreenProps, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { DaysDrawer } from '../days-drawer.tsx';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { oauthClient, type SecretPart, type TokenPart } from './oauth-client.contract.ts';
import { GRANTS } from './oauth-client.rules.ts';

const ROOT = '/api/admin/oauthClient';
const OWN = oauthClient as unknown as ResourceSpec;

/** Runs an action of a client and makes everything shown of it fresh. */
function useClientAction(row: RowData, of: ResourceSpec = OWN) {
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const run = (name: string, input: object, done: Label) =>
    void guard.run(async () => {
      try {
        await call('POST', `${rootOf(of)}/${row.id}/${name}`, {
          body: input,
          idempotencyKey: newIdempotencyKey(),
        });
        message.success(done[useLanguageStore.getState().language === 'en' ? 1 : 0], 2);
      } catch (error) {
        tellFault(error);
      }
      await client.invalidateQueries({ queryKey: keysOf.all(of.name) });
    });
  return { run, busy: guard.busy, locked: guard.locked };
}

/** The live secrets of a client: never themselves, only their last characters and when they were used. */
export function SecretsPart({ row, of = OWN }: { readonly row: RowData; readonly of?: ResourceSpec }) {
  const text = useText();
  const held = useHeld(of);
  const action = useClientAction(row, of);
  const [ending, setEnding] = useState<string>();
  const [at, setAt] = useState<unknown>();
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.all(of.name), 'secrets', row.id],
    queryFn: ({ signal }) =>
      call<{ secretList: readonly SecretPart[] }>('GET', `${rootOf(of)}/${row.id}`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const remove = async (secret: SecretPart) => {
    const yes = await ask({
      title: [`删除密钥 ••••${secret.hint}？`, `Remove the secret ••••${secret.hint}?`],
      text: ['使用它的程序立即不能再取得令牌。', 'Who uses it gets no more tokens at once.'],
      confirm: ['删除', 'Remove'],
      cancel: ['取消', 'Cancel'],
      danger: true,
    });
    if (yes) action.run('removeSecret', { secret: secret.id }, ['密钥已删除', 'The secret was removed']);
  };
  return (
    <>
      <Table
        className="k-table k-compact"
        size="small"
        rowKey="id"
        pagination={false}
        scroll={{ x: 'max-content' }}
        dataSource={[...data.secretList]}
        locale={{ emptyText: text(['没有有效密钥', 'No live secret']) }}
        columns={[
          { title: text(['密钥', 'Secret']), render: (_, one: SecretPart) => `••••${one.hint}` },
          { title: text(['生成', 'Made']), render: (_, one: SecretPart) => instantFull(one.createdAt) },
          {
            title: text(['最近使用', 'Last used']),
            render: (_, one: SecretPart) =>
              one.lastUsedAt ? instantFull(one.lastUsedAt) : text(['从未', 'never']),
          },
          {
            title: text(['到期', 'Ends']),
            render: (_, one: SecretPart) => (one.expiresAt ? instantFull(one.expiresAt) : '–'),
          },
          ...(held(of.actions!.removeSecret!.element)
            ? [
                {
                  title: text(['操作', 'Actions']),
                  render: (_: unknown, one: SecretPart) => (
                    <>
                      <Button type="link" size="small" onClick={() => setEnding(one.id)}>
                        {text(['设置到期', 'Set the end'])}
                      </Button>
                      <Button
                        type="link"
                        size="small"
                        danger
                        disabled={action.locked}
                        onClick={() => void remove(one)}
                      >
                        {text(['删除', 'Remove'])}
                      </Button>
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <AppModal
        open={ending !== undefined}
        title={text(['设置密钥到期', 'Set the end of a secret'])}
        confirmLoading={action.busy}
        okButtonProps={{ disabled: !at || action.locked }}
        onCancel={() => setEnding(undefined)}
        onOk={() => {
          action.run('endSecret', { secret: ending, expiresAt: at }, ['已设置', 'Set']);
          setEnding(undefined);
        }}
      >
        <FieldInput
          field={oauthClient.actions!.endSecret.input!.expiresAt!}
          label={text(['到期时间', 'Ends'])}
          value={at}
          onChange={setAt}
        />
      </AppModal>
    </>
  );
}

const KINDS: Readonly<Record<TokenPart['kind'], Label>> = {
  session: ['员工令牌', 'Staff token'],
  client: ['程序令牌', 'Program token'],
  refresh: ['刷新令牌', 'Refresh token'],
};

/** Live tokens of a client, each, those of one staff, or all to be revoked. */
export function TokensPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(oauthClient);
  const action = useClientAction(row);
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.all(oauthClient.name), 'tokens', row.id],
    queryFn: ({ signal }) =>
      call<readonly TokenPart[]>('GET', `${ROOT}/${row.id}/tokens`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const mayRevoke = held('btn_token_revoke');
  const revoke = (kind: string, token?: string) =>
    action.run('revoke', { kind, ...(token ? { token } : {}) }, ['已撤销', 'Revoked']);
  const revokeAll = async () => {
    const yes = await ask({
      title: ['撤销该客户端的全部令牌？', 'Revoke every token of this client?'],
      text: ['使用它们的程序和人员立即退出。', 'Programs and people who use them are out at once.'],
      confirm: ['全部撤销', 'Revoke all'],
      cancel: ['取消', 'Cancel'],
      danger: true,
    });
    if (yes) revoke('all');
  };
  return (
    <>
      {mayRevoke && (
        <p>
          <Button danger disabled={data.length === 0 || action.locked} onClick={() => void revokeAll()}>
            {text(['撤销全部', 'Revoke all'])}
          </Button>
        </p>
      )}
      <Table
        className="k-table k-compact"
        size="small"
        rowKey={(one) => `${one.kind}${one.id}`}
        scroll={{ x: 'max-content' }}
        pagination={{ pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
        dataSource={[...data]}
        locale={{ emptyText: text(['没有有效令牌', 'No live token']) }}
        columns={[
          { title: text(['账号', 'Account']), dataIndex: 'account' },
          {
            title: text(['类型', 'Kind']),
            render: (_, one: TokenPart) => <Tag>{text(KINDS[one.kind])}</Tag>,
          },
          { title: text(['范围', 'Scopes']), render: (_, one: TokenPart) => one.scopes.join(' ') || '–' },
          { title: text(['签发', 'Issued']), render: (_, one: TokenPart) => instantFull(one.issuedAt) },
          {
            title: text(['最近使用', 'Last used']),
            render: (_, one: TokenPart) => (one.lastUsedAt ? instantFull(one.lastUsedAt) : '–'),
          },
          { title: text(['过期', 'Expires']), render: (_, one: TokenPart) => instantFull(one.expiresAt) },
          { title: text(['地址', 'Address']), dataIndex: 'address' },
          {
            title: text(['设备', 'Device']),
            render: (_, one: TokenPart) => <span title={one.device}>{one.device.slice(0, 40) || '–'}</span>,
          },
          ...(mayRevoke
            ? [
                {
                  title: text(['操作', 'Actions']),
                  fixed: 'right' as const,
                  render: (_: unknown, one: TokenPart) => (
                    <>
                      <Button
                        type="link"
                        size="small"
                        danger
                        disabled={action.locked}
                        onClick={() => revoke(one.kind, one.id)}
                      >
                        {text(['撤销', 'Revoke'])}
                      </Button>
                      {one.staffId && (
                        <Button
                          type="link"
                          size="small"
                          disabled={action.locked}
                          onClick={() => revoke('staff', one.staffId!)}
                        >
                          {text(['该员工全部', 'All of this staff'])}
                        </Button>
                      )}
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

/** The secrets of the row an action was started on. */
export function SecretsDialog({ row, done, of = OWN }: ActionScreenProps & { readonly of?: ResourceSpec }) {
  const text = useText();
  return (
    <AppModal open width={760} footer={null} title={text(['密钥', 'Secrets'])} onCancel={() => done()}>
      {row && <SecretsPart row={row} of={of} />}
    </AppModal>
  );
}

/** The live tokens of the row an action was started on. */
export function TokensDialog({ row, done }: ActionScreenProps) {
  const text = useText();
  return (
    <AppModal open width={960} footer={null} title={text(['令牌', 'Tokens'])} onCancel={() => done()}>
      {row && <TokensPart row={row} />}
    </AppModal>
  );
}

interface TestAnswer {
  readonly address: string;
  readonly checks: readonly { readonly key: 'enabled' | 'secret' | 'address'; readonly passes: boolean }[];
  readonly grantTypes: readonly string[];
  readonly clientId: string;
  readonly isPublic: boolean;
  readonly redirectUri: string | null;
}

const CHECKS: Readonly<Record<TestAnswer['checks'][number]['key'], Label>> = {
  enabled: ['客户端已启用', 'The client is switched on'],
  secret: ['有可用的密钥', 'There is a secret to prove it with'],
  address: ['当前地址允许', 'Your address is allowed'],
};

/** What a request for a token would pass now, and how to send one. */
export function TestPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.all(oauthClient.name), 'test', row.id],
    queryFn: ({ signal }) => call<TestAnswer>('GET', `${ROOT}/${row.id}/test`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const lines = data.grantTypes.flatMap((grant) => curlOf(grant, data));
  return (
    <>
      {data.checks.map((check) => (
        <Alert
          key={check.key}
          type={check.passes ? 'success' : 'error'}
          showIcon
          title={`${text(CHECKS[check.key])}${check.key === 'address' ? ` (${data.address})` : ''}`}
        />
      ))}
      {lines.map((line) => (
        <pre key={line} className="k-code" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {line} <CopyButton value={line} label="curl" />
        </pre>
      ))}
    </>
  );
}

function curlOf(grant: string, data: TestAnswer): string[] {
  const url = `${window.location.origin}/api/auth/oauth/token`;
  const proof = data.isPublic ? `-d client_id=${data.clientId}` : `-u '${data.clientId}:<secret>'`;
  if (grant === 'client_credentials') return [`curl ${proof} -d grant_type=client_credentials ${url}`];
  if (grant === 'authorization_code')
    return [
      `curl ${proof} -d grant_type=authorization_code -d code=<code> -d code_verifier=<verifier> -d redirect_uri='${data.redirectUri ?? ''}' ${url}`,
    ];
  if (grant === 'refresh_token')
    return [`curl ${proof} -d grant_type=refresh_token -d refresh_token=<token> ${url}`];
  return [];
}

/** Several of fixed words. */
export function WordsInput({ value, onChange, id, disabled }: SlotInputProps): ReactNode {
  const text = useText();
  const leaves = useTabLeaves();
  return (
    <Select
      {...(id ? { id } : {})}
      {...leaves}
      mode="multiple"
      className="k-fill"
      disabled={disabled}
      value={(value as string[] | undefined) ?? []}
      onChange={onChange}
      aria-label={text(['授权类型', 'Grant types'])}
      options={Object.entries(GRANTS)
        .filter(([grant]) => grant !== 'password')
        .map(([grant, choice]) => ({ value: grant, label: text(choice.label) }))}
    />
  );
}

/** Scopes to choose from; `of`: only those another input of the form holds. */
export function ScopesInput({
  value,
  onChange,
  id,
  disabled,
  values,
  of,
}: SlotInputProps & { readonly of?: string }): ReactNode {
  const text = useText();
  const leaves = useTabLeaves();
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: ['oauthClient', 'scopes', language],
    queryFn: ({ signal }) =>
      call<readonly { value: string; label: string }[]>('GET', `${ROOT}/scopes`, { signal, quiet: true }),
  });
  const chosen = of ? ((values[of] as readonly string[] | undefined) ?? []) : undefined;
  return (
    <Select
      {...(id ? { id } : {})}
      {...leaves}
      mode="multiple"
      className="k-fill"
      disabled={disabled}
      loading={!data}
      value={(value as string[] | undefined) ?? []}
      onChange={onChange}
      aria-label={text(['范围', 'Scopes'])}
      showSearch={{ optionFilterProp: 'label' }}
      options={(data ?? []).filter((one) => !chosen || chosen.includes(one.value))}
    />
  );
}

interface ClientCalls {
  readonly client: string;
  readonly name: string | null;
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
  readonly p95: number;
}

/** Calls by client, each leading to its calls in the gate log. */
export function CallsButton() {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button type="text" onClick={() => setOpen(true)}>
        {text(['调用统计', 'Calls by client'])}
      </Button>
      {open && <CallsDrawer onClose={() => setOpen(false)} />}
    </>
  );
}

function CallsDrawer({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const view = useView();
  const log = view.pathOf('gateLogManager');
  return (
    <DaysDrawer<ClientCalls>
      title={['调用统计', 'Calls by client']}
      size={720}
      path={`${ROOT}/calls`}
      onClose={onClose}
    >
      {(rows) => (
        <Table
          className="k-table k-compact"
          size="small"
          rowKey="client"
          scroll={{ x: 'max-content' }}
          pagination={{ pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
          dataSource={[...rows]}
          locale={{ emptyText: text(['没有调用', 'No calls']) }}
          columns={[
            {
              title: text(['客户端', 'Client']),
              render: (_, one: ClientCalls) =>
                log ? (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => view.open(`${log}?tab=all&client=${encodeURIComponent(one.client)}`)}
                  >
                    {one.name ?? one.client}
                  </button>
                ) : (
                  (one.name ?? one.client)
                ),
            },
            { title: text(['调用', 'Calls']), dataIndex: 'calls', align: 'right' },
            { title: '4xx', dataIndex: 'refused', align: 'right' },
            { title: '5xx', dataIndex: 'failed', align: 'right' },
            {
              title: 'p95',
              align: 'right',
              render: (_, one: ClientCalls) => `${one.p95} ms`,
            },
          ]}
        />
      )}
    </DaysDrawer>
  );
}
