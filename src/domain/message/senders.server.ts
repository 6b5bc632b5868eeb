import { createHmac } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { SendFailure } from './send-failure.server.ts';
import { SENDER_SECRET_NAMES, type SenderSecret } from './sender.rules.ts';
import { senderSecret, senderSecretMarks } from './sender-secret.server.ts';
import { sendByAliyun } from './sms-aliyun.server.ts';
import { sendByHttp } from './sms-http.server.ts';
import { templateOf } from './sms-message.server.ts';
import { sendByTencent } from './sms-tencent.server.ts';
import { sendBySmtp } from './smtp.server.ts';

/** A message of the table, as far as senders need it. */
export interface StoredSms {
  readonly id: number;
  readonly phone: string;
  readonly purpose: string;
  readonly body: string;
  readonly params: Readonly<Record<string, string>>;
}
export interface StoredMail {
  readonly id: number;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
}

/** Sends an SMS by the provider the settings choose; `sandbox` keeps it. Returns which one it was. */
export async function sendSms(platform: Platform, sms: StoredSms): Promise<string> {
  const { settings } = platform;
  const sender = await settings.text('sms.sender');
  if (sender === 'sandbox') return sender;
  const params = { text: sms.body, ...sms.params };
  const message = {
    number: numberOf(platform, 'sms', sms.id),
    phone: sms.phone,
    purpose: sms.purpose,
    text: sms.body,
    params,
    template: templateOf((await settings.list('sms.templates')).map(String), sms.purpose, params),
  };
  const common = { signName: await settings.text('sms.sign_name'), timeoutMs: await timeoutOf(platform) };
  const secret = await secretOf(platform, sender as SenderSecret);
  if (sender === 'http')
    await sendByHttp(
      {
        ...common,
        secret,
        method: (await settings.text('sms.http.method')) === 'GET' ? 'GET' : 'POST',
        url: await settings.text('sms.http.url'),
        headers: (await settings.list('sms.http.headers')).map(String),
        body: await settings.text('sms.http.body'),
        success: await settings.text('sms.http.success'),
      },
      message,
    );
  else if (sender === 'aliyun')
    await sendByAliyun(
      {
        ...common,
        endpoint: await settings.text('sms.aliyun.endpoint'),
        accessKeyId: await settings.text('sms.aliyun.access_key_id'),
        accessKeySecret: secret,
      },
      message,
    );
  else
    await sendByTencent(
      {
        ...common,
        endpoint: await settings.text('sms.tencent.endpoint'),
        region: await settings.text('sms.tencent.region'),
        secretId: await settings.text('sms.tencent.secret_id'),
        appId: await settings.text('sms.tencent.app_id'),
        secretKey: secret,
      },
      message,
    );
  return sender;
}

/** Sends an e-mail by the mail server of the settings; `sandbox` keeps it. Returns which one it was. */
export async function sendMail(platform: Platform, mail: StoredMail): Promise<string> {
  const { settings } = platform;
  const sender = await settings.text('email.sender');
  if (sender === 'sandbox') return sender;
  const user = await settings.text('email.smtp.user');
  const security = await settings.text('email.smtp.security');
  await sendBySmtp(
    {
      host: await settings.text('email.smtp.host'),
      port: await settings.number('email.smtp.port'),
      security: security === 'none' || security === 'starttls' ? security : 'tls',
      user,
      password: user ? await secretOf(platform, 'smtp') : '',
      from: await settings.text('email.from'),
      fromName: await settings.text('email.from_name'),
      timeoutMs: await timeoutOf(platform),
    },
    {
      number: numberOf(platform, 'email', mail.id),
      to: mail.address,
      subject: mail.subject,
      text: mail.body,
    },
  );
  return sender;
}

/** Keys that say how messages leave. */
export const SENDER_KEYS = [
  'email.sender',
  'email.from',
  'email.smtp.host',
  'email.smtp.security',
  'email.smtp.user',
  'sms.sender',
  'sms.sign_name',
  'sms.templates',
  'sms.http.url',
  'sms.http.method',
  'sms.http.body',
  'sms.aliyun.access_key_id',
  'sms.tencent.secret_id',
  'sms.tencent.app_id',
] as const;

/**
 * What the chosen ways still lack, in words, by channel; empty lists: they can send. `changed` holds values and secrets as they
 * are about to become.
 */
export async function senderProblems(
  db: Executor,
  platform: Pick<Platform, 'settings'>,
  changed: {
    readonly values?: ReadonlyMap<string, unknown>;
    readonly without?: SenderSecret;
  } = {},
): Promise<{ readonly sms: readonly Label[]; readonly email: readonly Label[] }> {
  const rows = await run<{ key: string; value: unknown }>(
    db,
    'SELECT key, value FROM setting WHERE key = ANY($1::text[])',
    [SENDER_KEYS],
  );
  const stored = new Map(rows.map((row) => [row.key, row.value]));
  const value = (key: (typeof SENDER_KEYS)[number]): unknown =>
    (changed.values?.has(key) ? changed.values.get(key) : stored.get(key)) ??
    platform.settings.defaultOf(key);
  const secrets = new Set(
    (await senderSecretMarks(db)).map((mark) => mark.kind).filter((kind) => kind !== changed.without),
  );
  const lacks = (key: (typeof SENDER_KEYS)[number]): readonly Label[] => {
    const held = value(key);
    const isEmpty = Array.isArray(held) ? held.length === 0 : held === '' || held === null;
    return isEmpty ? [NAMES[key]!] : [];
  };
  const secret = (kind: SenderSecret): readonly Label[] =>
    secrets.has(kind) ? [] : [SENDER_SECRET_NAMES[kind]];
  const email =
    value('email.sender') === 'smtp'
      ? [
          ...lacks('email.smtp.host'),
          ...lacks('email.from'),
          ...(value('email.smtp.user') === '' ? [] : secret('smtp')),
          ...(value('email.smtp.user') !== '' && value('email.smtp.security') === 'none' ? [IN_CLEAR] : []),
        ]
      : [];
  const sender = value('sms.sender');
  const templated = () => [...lacks('sms.sign_name'), ...lacks('sms.templates')];
  const sms =
    sender === 'http'
      ? [...lacks('sms.http.url'), ...(value('sms.http.method') === 'GET' ? [] : lacks('sms.http.body'))]
      : sender === 'aliyun'
        ? [...lacks('sms.aliyun.access_key_id'), ...secret('aliyun'), ...templated()]
        : sender === 'tencent'
          ? [
              ...lacks('sms.tencent.secret_id'),
              ...secret('tencent'),
              ...lacks('sms.tencent.app_id'),
              ...templated(),
            ]
          : [];
  return { sms, email };
}

const IN_CLEAR: Label = [
  '不加密的连接不能使用登录账号',
  'an unencrypted connection must not carry a sign-in account',
];
const NAMES: Readonly<Record<string, Label>> = {
  'email.smtp.host': ['邮件服务器地址', 'Mail server'],
  'email.from': ['发件人地址', 'Sender address'],
  'sms.sign_name': ['短信签名', 'SMS signature'],
  'sms.templates': ['短信模板', 'SMS templates'],
  'sms.http.url': ['短信接口地址', 'Address of the SMS gateway'],
  'sms.http.body': ['短信接口请求体', 'Body of the SMS gateway call'],
  'sms.aliyun.access_key_id': ['阿里云 AccessKey ID', 'AccessKey ID of Alibaba Cloud'],
  'sms.tencent.secret_id': ['腾讯云 SecretId', 'SecretId of Tencent Cloud'],
  'sms.tencent.app_id': ['腾讯云短信应用 SDK AppID', 'SDK AppID of Tencent Cloud SMS'],
};

async function secretOf(platform: Platform, kind: SenderSecret): Promise<string> {
  try {
    return await senderSecret(platform.database.db, platform, kind);
  } catch {
    // Restored beside another key: whoever keeps the settings must set it again.
    throw new SendFailure(`${kind}: its secret cannot be opened`);
  }
}

async function timeoutOf(platform: Platform): Promise<number> {
  return (await platform.settings.number('sender.timeout_seconds')) * 1_000;
}

/** A number that no other installation writes to the same provider. */
function numberOf(platform: Platform, kind: string, id: number): string {
  const own = createHmac('sha256', platform.config.secretKey).update('sender').digest('hex').slice(0, 12);
  return `${kind}-${id}-${own}`;
}
