import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../../kernel/client/api-client.ts';
import { timeAgo } from '../../../../kernel/client/format.rules.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { ProfileQuery, rowsOf } from './profile-query.tsx';

interface Device {
  readonly id: string;
  readonly device: string;
  readonly address: string;
  readonly lastSeenAt: string;
  /** The session of this page. */
  readonly current: boolean;
}

const key = ['profile', 'sessions'] as const;

/** Own sessions; others can be signed out one by one or all at once. */
export function DevicesPart() {
  const text = useText();
  const client = useQueryClient();
  const signOut = async (id: string) => {
    await call('DELETE', `/api/admin/profile/sessions/${encodeURIComponent(id)}`).catch(() => {});
    await client.invalidateQueries({ queryKey: key });
  };
  const signOutOthers = async () => {
    await call('POST', '/api/admin/profile/sessions/endOthers').catch(() => {});
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <ProfileQuery<readonly Device[] | { readonly rows: readonly Device[] }>
      queryKey={key}
      path="/api/admin/profile/sessions"
    >
      {(data) => {
        const devices = rowsOf(data);
        const others = devices.filter((device) => !device.current);
        return (
          <>
            <ul className="profile-list">
              {devices.map((device) => (
                <li key={device.id}>
                  <div>
                    <strong>{device.device}</strong>{' '}
                    {device.current && <em>{text(['当前设备', 'This device'])}</em>}
                    <p className="quiet">
                      {device.address} · {text(timeAgo(device.lastSeenAt))}
                    </p>
                  </div>
                  {!device.current && (
                    <button type="button" className="link-button" onClick={() => void signOut(device.id)}>
                      {text(['下线', 'Sign out'])}
                    </button>
                  )}
                </li>
              ))}
            </ul>
            {others.length > 0 && (
              <button type="button" className="plain-button" onClick={() => void signOutOthers()}>
                {text(['下线其他设备', 'Sign out others'])}
              </button>
            )}
          </>
        );
      }}
    </ProfileQuery>
  );
}
