import { createHash, createHmac } from 'node:crypto';
import { callProvider } from './http-call.server.ts';
import { SendFailure, SendRefused, toldCode } from './send-failure.server.ts';
import type { SmsToSend } from './sms-message.server.ts';

/** Account, application and address of Tencent Cloud SMS. */
export interface TencentSms {
  readonly endpoint: string;
  readonly region: string;
  readonly secretId: string;
  readonly secretKey: string;
  readonly appId: string;
  readonly signName: string;
  readonly timeoutMs: number;
}

/** A call by TC3-HMAC-SHA256 whose body is JSON. */
export interface Tc3Call {
  readonly service: string;
  readonly host: string;
  readonly action: string;
  readonly version: string;
  readonly region: string;
  readonly secretId: string;
  readonly secretKey: string;
  readonly body: string;
  readonly at: Date;
}

/** Headers of a signed call, as the document of signature version 3 says. */
export function signTc3(call: Tc3Call): Record<string, string> {
  const timestamp = String(Math.floor(call.at.getTime() / 1000));
  const day = call.at.toISOString().slice(0, 10);
  const type = 'application/json; charset=utf-8';
  const signed = 'content-type;host;x-tc-action';
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${type}`,
    `host:${call.host}`,
    `x-tc-action:${call.action.toLowerCase()}`,
    '',
    signed,
    sha256(call.body),
  ].join('\n');
  const scope = `${day}/${call.service}/tc3_request`;
  const key = [day, call.service, 'tc3_request'].reduce<string | Buffer>(
    (under, part) => hmac(under, part),
    `TC3${call.secretKey}`,
  );
  const signature = hmac(key, `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`).toString(
    'hex',
  );
  return {
    'content-type': type,
    host: call.host,
    'x-tc-action': call.action,
    'x-tc-timestamp': timestamp,
    'x-tc-version': call.version,
    'x-tc-region': call.region,
    authorization: `TC3-HMAC-SHA256 Credential=${call.secretId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** Sends by SendSms (version 2021-01-11). `SessionContext` carries the number of the message into receipts. */
export async function sendByTencent(account: TencentSms, sms: SmsToSend): Promise<void> {
  const { template } = sms;
  if (!template) throw new SendFailure(`tencent: no template for ${sms.purpose}`);
  const url = new URL(account.endpoint);
  const body = JSON.stringify({
    PhoneNumberSet: [sms.phone.startsWith('+') ? sms.phone : `+86${sms.phone}`],
    SmsSdkAppId: account.appId,
    SignName: account.signName,
    TemplateId: template.code,
    TemplateParamSet: template.values,
    SessionContext: sms.number,
  });
  const headers = signTc3({
    service: 'sms',
    host: url.host,
    action: 'SendSms',
    version: '2021-01-11',
    region: account.region,
    secretId: account.secretId,
    secretKey: account.secretKey,
    body,
    at: new Date(),
  });
  const answer = await callProvider(
    'tencent',
    `${url.origin}/`,
    { method: 'POST', headers, body },
    account.timeoutMs,
  );
  const code = codeOf(answer.text);
  if (answer.http === 200 && code === 'Ok') return;
  throw isFinal(code) ? new SendRefused(`tencent: ${code}`) : new SendFailure(`tencent: ${code}`);
}

/** What no repeat changes: the number, the texts or the templates. Limits, balance, keys and faults may change. */
function isFinal(code: string): boolean {
  return (
    /^(FailedOperation|InvalidParameter|InvalidParameterValue|MissingParameter|UnsupportedOperation)(\.|$)/.test(
      code,
    ) && !/InsufficientBalance|FailedOperation\.(OtherError|ProhibitedUse)/.test(code)
  );
}

/** The code of the one phone, or of the whole call where that was refused. */
function codeOf(text: string): string {
  try {
    const { Response: answer } = JSON.parse(text) as {
      Response?: { Error?: { Code?: unknown }; SendStatusSet?: readonly { Code?: unknown }[] };
    };
    return toldCode(answer?.Error ? answer.Error.Code : answer?.SendStatusSet?.[0]?.Code);
  } catch {
    return 'unknown answer';
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
