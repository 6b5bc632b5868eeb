import { useState } from 'react';
import { Alert, Button, Form, Input, Skeleton, Switch, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { OptionEntry } from '../../../kernel/client/wire.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import { ENFORCEMENT_KEY, type Enforcement } from './enforcement.ts';

interface Hit {
  readonly id: string;
  readonly account: string;
  readonly address: string;
  readonly at: string;
  readonly result: string;
  readonly whitelistId: string | null;
}

const RESULTS: Readonly<Record<string, Choice>> = {
  allowed: { label: ['允许', 'Allowed'], tone: 'success' },
  refused: { label: ['拒绝', 'Refused'], tone: 'error' },
  skip_code: { label: ['免验证码', 'Code skipped'], tone: 'processing' },
};

/** Account and address in, verdict with the deciding row out. */
export function TestDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [staff, setStaff] = useState<OptionEntry>();
  const [address, setAddress] = useState('');
  const [verdict, setVerdict] = useState<{ allowed: boolean; rowId: string | null; enforced: boolean }>();
  const [busy, setBusy] = useState(false);
  // The compiler reads what a callback needs while rendering: an asserted value would fail there before one is chosen.
  const staffId = staff?.id;
  const run = async () => {
    setBusy(true);
    setVerdict(
      await call<NonNullable<typeof verdict>>('POST', '/api/admin/whitelist/action/test', {
        body: { staff: staffId, address: address.trim() },
      }).catch(() => undefined),
    );
    setBusy(false);
  };
  return (
    <AppModal
      open
      title={text(['测试登录地址', 'Test an address'])}
      okText={text(['测试', 'Test'])}
      okButtonProps={{ disabled: !staff || address.trim() === '' }}
      confirmLoading={busy}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <Form layout="vertical" component={false}>
        <Form.Item label={text(['账号', 'Account'])} required>
          <RemoteSelect
            target="whitelistAccount"
            label={text(['账号', 'Account'])}
            placeholder={text(['请选择账号', 'Choose an account'])}
            value={staff ? [staff.id] : []}
            known={staff ? { [staff.id]: staff.title } : {}}
            onChange={(_ids, entries) => {
              setStaff(entries[0]);
              setVerdict(undefined);
            }}
          />
        </Form.Item>
        <Form.Item label={text(['地址', 'Address'])} required>
          <Input
            value={address}
            placeholder="192.168.1.5"
            aria-label={text(['地址', 'Address'])}
            onChange={(event) => {
              setAddress(event.target.value);
              setVerdict(undefined);
            }}
            onPressEnter={() => staff && void run()}
          />
        </Form.Item>
      </Form>
      {verdict && (
        <Alert
          type={verdict.allowed ? 'success' : 'error'}
          showIcon
          title={text(
            verdict.allowed
              ? ['允许登录', 'May sign in']
              : ['当前地址不允许登录', 'May not sign in from there'],
          )}
          description={text(
            verdict.rowId
              ? [`由规则 #${verdict.rowId} 决定`, `Decided by rule #${verdict.rowId}`]
              : verdict.allowed
                ? ['您可见的规则都不限制该账号', 'No rule that you see limits the account']
                : verdict.enforced
                  ? ['没有规则覆盖该地址', 'No rule covers the address']
                  : ['该账号限定的地址不包括它', 'The addresses of the account do not include it'],
          )}
        />
      )}
    </AppModal>
  );
}

/** The switch that binds every account to the common addresses. The server refuses what would lock the caller out. */
export function EnforceDialog({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const text = useText();
  const guard = useSubmitGuard();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ENFORCEMENT_KEY,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Enforcement>('GET', '/api/admin/whitelist/enforcement', { signal, quiet: true }),
  });
  const [wanted, setWanted] = useState<boolean>();
  const on = wanted ?? data?.enforced ?? false;
  const save = () =>
    void guard.run(async () => {
      try {
        await call('POST', '/api/admin/whitelist/action/enforce', { body: { on } });
        onDone();
      } catch {
        // The frame has shown why.
      }
    });
  return (
    <AppModal
      open
      title={text(['全员地址限制', 'Addresses for all'])}
      okText={text(['保存', 'Save'])}
      okButtonProps={{ danger: on, disabled: !data || on === data.enforced || guard.locked }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={onClose}
    >
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <p>
            <Switch checked={on} onChange={setWanted} aria-label={text(['启用', 'Enforce'])} />{' '}
            {text(['对所有账号启用地址限制', 'Address rules bind every account'])}
          </p>
          <p className="k-quiet">
            {text([
              '启用后，没有单独规则的账号只能从公共地址（未指定账号的规则）登录；只有账号、没有地址的规则让该账号不受限制。',
              'Accounts without rows of their own then sign in from rows without account only; a row with account and no address frees that account.',
            ])}
          </p>
          <p className="k-quiet">
            {text([
              `您可见的公共地址 ${data.rows} 条；您的当前地址 ${data.address}`,
              `${data.rows} common ranges that you see; your address is ${data.address}`,
            ])}
          </p>
        </>
      )}
    </AppModal>
  );
}

/** Sign-ins of 90 days in which a rule decided. */
export function HitsDrawer({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['resource', 'whitelist', 'hits'],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly Hit[]>('GET', '/api/admin/whitelist/hits', { signal, quiet: true }),
  });
  return (
    <AppDrawer
      open
      size={760}
      title={text(['命中记录（90天）', 'Hits of 90 days'])}
      onClose={onClose}
      extra={<Button onClick={() => void refetch()}>{text(['刷新', 'Refresh'])}</Button>}
    >
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          className="k-table k-compact"
          size="small"
          rowKey="id"
          dataSource={data as Hit[]}
          pagination={{ pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
          locale={{ emptyText: text(['90天内没有命中', 'No hit within 90 days']) }}
          columns={[
            {
              title: text(['时间', 'At']),
              dataIndex: 'at',
              width: 170,
              render: (value: string) => instantFull(value),
            },
            { title: text(['账号', 'Account']), dataIndex: 'account', width: 140 },
            { title: text(['地址', 'Address']), dataIndex: 'address' },
            {
              title: text(['结果', 'Result']),
              dataIndex: 'result',
              width: 120,
              render: (value: string) => <StatusTag choice={RESULTS[value] ?? { label: [value, value] }} />,
            },
            {
              title: text(['规则', 'Rule']),
              dataIndex: 'whitelistId',
              width: 90,
              render: (value: string | null) => (value ? `#${value}` : '–'),
            },
          ]}
        />
      )}
    </AppDrawer>
  );
}
