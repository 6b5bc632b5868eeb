import { Switch } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../../kernel/client/api-client.ts';
import { useText } from '../../../../kernel/client/language.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { ProfileQuery } from './profile-query.tsx';
import { openProfile } from './profile-store.ts';

type Channel = 'inApp' | 'sms' | 'email';

interface NoticeKind extends Readonly<Record<Channel, boolean>> {
  readonly code: string;
  readonly title: string;
  readonly note: string;
  readonly mandatory: boolean;
}

interface Answer {
  /** Masked; null when the staff has none. */
  readonly phone: string | null;
  readonly email: string | null;
  readonly kinds: readonly NoticeKind[];
}

const channels: readonly { readonly key: Channel; readonly label: Label }[] = [
  { key: 'inApp', label: ['站内', 'In-app'] },
  { key: 'sms', label: ['短信', 'SMS'] },
  { key: 'email', label: ['邮件', 'E-mail'] },
];

/** Which kinds of notifications come, and which way; mandatory ones always come in the product. */
export function NoticesPart() {
  const text = useText();
  return (
    <ProfileQuery<Answer>
      queryKey={['profile', 'notices', text(['zh', 'en'])]}
      path="/api/admin/notification/kinds"
    >
      {(answer) => <Kinds answer={answer} />}
    </ProfileQuery>
  );
}

function Kinds({ answer }: { readonly answer: Answer }) {
  const text = useText();
  const client = useQueryClient();
  const [underWay, setUnderWay] = useState<string>();
  const reach: Readonly<Record<Channel, boolean>> = {
    inApp: true,
    sms: answer.phone !== null,
    email: answer.email !== null,
  };
  const change = async (kind: NoticeKind, channel: Channel, on: boolean) => {
    setUnderWay(`${kind.code} ${channel}`);
    // A refusal is shown by the frame; what the server keeps is asked for in any case.
    await call('PUT', `/api/admin/notification/kinds/${kind.code}`, { body: { [channel]: on } }).catch(
      () => {},
    );
    await client.invalidateQueries({ queryKey: ['profile', 'notices'] });
    setUnderWay(undefined);
  };
  return (
    <>
      <table className="profile-notices">
        <thead>
          <tr>
            <th scope="col">{text(['通知', 'Notifications'])}</th>
            {channels.map(({ key, label }) => (
              <th key={key} scope="col">
                {text(label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.kinds.map((kind) => (
            <tr key={kind.code}>
              <th scope="row">
                {kind.title} {kind.mandatory && <em>{text(['必收', 'Always on'])}</em>}
                <p className="quiet">{kind.note}</p>
              </th>
              {channels.map(({ key, label }) => (
                <td key={key}>
                  <Switch
                    size="small"
                    checked={kind[key]}
                    // Switching off must stay possible when the number is gone.
                    disabled={(kind.mandatory && key === 'inApp') || (!reach[key] && !kind[key])}
                    loading={underWay === `${kind.code} ${key}`}
                    aria-label={`${kind.title}: ${text(label)}`}
                    onChange={(on) => void change(kind, key, on)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">
        {answer.phone
          ? `${text(['短信发往', 'SMS go to'])} ${answer.phone}`
          : text(['填写手机号后可以接收短信', 'Enter a phone number to get SMS'])}
        {' · '}
        {answer.email
          ? `${text(['邮件发往', 'e-mails go to'])} ${answer.email}`
          : text(['填写邮箱后可以接收邮件', 'enter an e-mail address to get e-mails'])}{' '}
        {(!answer.phone || !answer.email) && (
          <button type="button" className="link-button" onClick={() => openProfile('basic')}>
            {text(['去填写', 'Enter it'])}
          </button>
        )}
      </p>
    </>
  );
}
