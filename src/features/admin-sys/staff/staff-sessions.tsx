import { Button, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, timeAgo } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { keysOf } from '../../../kernel/client/wire.ts';
import { signInWays } from '../../frame/sign-in/sign-in-ways.rules.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';

interface LiveSession {
  readonly id: string;
  readonly address: string;
  readonly device: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly current: boolean;
}

interface SignIn {
  readonly id: string;
  readonly at: string;
  readonly address: string;
  readonly device: string;
  readonly result: string;
  /** `password` or `sso`; null before this was kept. */
  readonly way: string | null;
}

/** Results of a sign-in in words. */
const RESULTS: Readonly<Record<string, Choice>> = {
  success: { label: ['成功', 'Success'], tone: 'success' },
  wrong_password: { label: ['密码错误', 'Wrong password'], tone: 'error' },
  wrong_code: { label: ['验证码错误', 'Wrong code'], tone: 'error' },
  disabled: { label: ['账号停用', 'Disabled'], tone: 'error' },
  locked: { label: ['账号锁定', 'Locked'], tone: 'warning' },
  not_on_whitelist: { label: ['地址不允许', 'Not on the whitelist'], tone: 'warning' },
  unknown_account: { label: ['账号不存在', 'Unknown account'], tone: 'error' },
  lapsed: { label: ['一次性密码已失效', 'One-time password lapsed'], tone: 'warning' },
  address_limit: { label: ['地址尝试过多', 'Too many tries from the address'], tone: 'warning' },
};

/** Live sessions of a staff, each of which can be ended. */
export function SessionsPart({ root, staffId }: { readonly root: string; readonly staffId: string }) {
  const text = useText();
  const client = useQueryClient();
  const key = [...keysOf.row('staff', staffId), 'sessions'];
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: key,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly LiveSession[]>('GET', `${root}/${staffId}/sessions`, { signal, quiet: true }),
  });
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return <p className="k-quiet">{text(['没有在线的登录', 'There is no live session'])}</p>;
  const end = async (sessionId: string) => {
    try {
      await call('POST', `${root}/${staffId}/endSession`, { body: { sessionId } });
      void message.success(text(['已下线', 'Signed out']), 2);
    } catch {
      // The frame has shown why.
    }
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <ul className="plain-rows">
      {data.map((one) => (
        <li key={one.id}>
          <span>
            <span title={one.device}>{deviceName(one.device)}</span> · {one.address}
            <br />
            <span className="k-quiet k-small">
              {text(['登录于', 'Since'])} {instantFull(one.since)} · {text(['最近使用', 'last used'])}{' '}
              {text(timeAgo(one.lastSeen))}
            </span>
          </span>
          {one.current ? (
            <em className="k-quiet">{text(['当前会话', 'This session'])}</em>
          ) : (
            <Button size="small" danger onClick={() => void end(one.id)}>
              {text(['下线', 'Sign out'])}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Sign-ins of the last 90 days with their results in words. */
export function SignInsPart({ root, staffId }: { readonly root: string; readonly staffId: string }) {
  const text = useText();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row('staff', staffId), 'signIns'],
    queryFn: ({ signal }) =>
      call<readonly SignIn[]>('GET', `${root}/${staffId}/signIns`, { signal, quiet: true }),
  });
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return <p className="k-quiet">{text(['90天内没有登录', 'No sign-in within 90 days'])}</p>;
  return (
    <ul className="plain-rows">
      {data.map((one) => (
        <li key={one.id}>
          <span>
            {instantFull(one.at)}
            <br />
            <span className="k-quiet k-small" title={one.device}>
              {one.address} · {deviceName(one.device)}
              {one.way !== null && signInWays[one.way] && <> · {text(signInWays[one.way]!)}</>}
            </span>
          </span>
          <StatusTag choice={RESULTS[one.result] ?? { label: [one.result, one.result] }} />
        </li>
      ))}
    </ul>
  );
}

/** Browser and system of a user agent, in two words. */
function deviceName(agent: string): string {
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrome\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : agent.slice(0, 24) || '–';
  const system = /Windows/.test(agent)
    ? 'Windows'
    : /Android/.test(agent)
      ? 'Android'
      : /iPhone|iPad/.test(agent)
        ? 'iOS'
        : /Mac OS/.test(agent)
          ? 'macOS'
          : /Linux/.test(agent)
            ? 'Linux'
            : '';
  return system ? `${browser} · ${system}` : browser;
}
