import { useState } from 'react';
import { Alert, Button, Input, Segmented, Select } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { gatewayRoute, type TriedRoute, type TriedSend } from './gateway-route.contract.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const PROBLEMS = {
  refused: ['地址不允许', 'The address is not allowed'],
  unreachable: ['无法连接', 'Cannot be reached'],
  timeout: ['超时', 'Timed out'],
  tooLarge: ['内容过大', 'Too large'],
} as const;

/** Where a call goes, as whom, with which headers; sends it for real on demand. `route`: its draft instead of what runs. */
export function TryPanel({ route, prefix }: { readonly route?: string; readonly prefix?: string }) {
  const text = useText();
  const [method, setMethod] = useState<string>('GET');
  const [path, setPath] = useState(prefix ?? '/api/');
  const [who, setWho] = useState<string>('me');
  const [service, setService] = useState<readonly string[]>([]);
  const question = {
    method,
    path: path.trim(),
    as: who === 'service' ? (service[0] ?? 'nobody') : who,
    ...(route ? { route } : {}),
  };
  const match = useMutation({
    mutationFn: () =>
      call<TriedRoute>('GET', `${rootOf(gatewayRoute)}/try`, { query: question, quiet: true }),
    onSuccess: () => send.reset(),
  });
  const send = useMutation({
    mutationFn: () => call<TriedSend>('POST', `${rootOf(gatewayRoute)}/try`, { body: question, quiet: true }),
  });
  const changed = () => {
    match.reset();
    send.reset();
  };
  const tried = match.data;
  const maySend =
    tried?.matched && tried.allowed && tried.outgoing && (method === 'GET' || method === 'HEAD');
  return (
    <div className="gateway-try">
      <Select
        className="k-fill"
        aria-label={text(['方法', 'Method'])}
        value={method}
        onChange={(next) => {
          setMethod(next);
          changed();
        }}
        options={METHODS.map((one) => ({ value: one, label: one }))}
      />
      <Input
        aria-label={text(['路径', 'Path'])}
        value={path}
        placeholder="/api/parking/lots?x=1"
        onChange={(event) => {
          setPath(event.target.value);
          changed();
        }}
      />
      <Segmented
        aria-label={text(['调用方', 'Caller'])}
        value={who}
        onChange={(next) => {
          setWho(next);
          changed();
        }}
        options={[
          { value: 'me', label: text(['我', 'Me']) },
          { value: 'service', label: text(['服务', 'A service']) },
          { value: 'nobody', label: text(['未登录', 'Nobody']) },
        ]}
      />
      {who === 'service' && (
        <RemoteSelect
          target="serviceClient"
          label={text(['服务', 'Service'])}
          placeholder={text(['请选择', 'Please choose'])}
          value={service}
          known={{}}
          onChange={(ids) => {
            setService(ids.slice(0, 1));
            changed();
          }}
        />
      )}
      <Button
        type="primary"
        loading={match.isPending}
        disabled={path.trim() === ''}
        onClick={() => match.mutate()}
      >
        {text(['匹配', 'Match'])}
      </Button>
      {match.error && <ErrorPanel error={match.error} onRetry={() => match.mutate()} />}
      {tried?.matched === null && (
        <Alert type="warning" showIcon title={text(['没有路由匹配，返回 404', 'No route matches: 404'])} />
      )}
      {tried?.matched && (
        <Alert
          type={tried.allowed ? 'success' : 'warning'}
          showIcon
          title={`${tried.matched.code} · ${tried.matched.prefix} · ${
            tried.matched.version === 0 ? text(['草稿', 'draft']) : `v${tried.matched.version}`
          }`}
          description={
            <ul style={{ overflowWrap: 'anywhere' }}>
              {tried.refused && <li>{text(tried.refused)}</li>}
              <li>→ {tried.outgoing ?? text(['没有可用实例', 'No instance is up'])}</li>
              <li>
                {text(gatewayRoute.fields.auth.choices[tried.auth ?? 'permission'].label)}{' '}
                {tried.permissionCode}
              </li>
              <li>
                {text([
                  `每分钟 ${tried.ratePerMinute} 次，超时 ${tried.timeoutMs} 毫秒，重试 ${tried.retries} 次`,
                  `${tried.ratePerMinute} a minute, timeout ${tried.timeoutMs} ms, ${tried.retries} retries`,
                ])}
              </li>
              {Object.entries(tried.headers ?? {}).map(([name, value]) => (
                <li key={name}>
                  <code>
                    {name}: {value}
                  </code>
                </li>
              ))}
            </ul>
          }
        />
      )}
      {maySend && (
        <Button loading={send.isPending} onClick={() => send.mutate()}>
          {text(['发送', 'Send it'])}
        </Button>
      )}
      {send.error && <ErrorPanel error={send.error} onRetry={() => send.mutate()} />}
      {send.data && (
        <Alert
          type={send.data.status !== null && send.data.status < 400 ? 'success' : 'error'}
          showIcon
          title={`${send.data.status ?? text(PROBLEMS[send.data.problem ?? 'unreachable'])} · ${send.data.ms} ms`}
          description={<pre className="gateway-answer">{send.data.body}</pre>}
        />
      )}
    </div>
  );
}
