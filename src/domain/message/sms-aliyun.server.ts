import { createHash, createHmac, randomBytes } from 'node:crypto';
import { callProvider } from './http-call.server.ts';
import { SendFailure, SendRefused, toldCode } from './send-failure.server.ts';
import type { SmsToSend } from './sms-message.server.ts';

/** Account, signature and address of Alibaba Cloud SMS. */
export interface AliyunSms {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
  readonly signName: string;
  readonly timeoutMs: number;
}

/** A call by signature version 3 (ACS3-HMAC-SHA256) with all of its parameters in the query. */
export interface AcsCall {
  readonly method: 'GET' | 'POST';
  readonly host: string;
  readonly action: string;
  readonly version: string;
  readonly query: Readonly<Record<string, string>>;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
  readonly at: Date;
  readonly nonce: string;
}

/** Query and headers of a signed call, as the document of signature version 3 says. */
export function signAcs(call: AcsCall): { readonly query: string; readonly headers: Record<string, string> } {
  const query = Object.entries(call.query)
    .map(([name, value]) => [percent(name), percent(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
  const emptyBody = createHash('sha256').update('').digest('hex');
  const headers: Record<string, string> = {
    host: call.host,
    'x-acs-action': call.action,
    'x-acs-content-sha256': emptyBody,
    'x-acs-date': call.at.toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': call.nonce,
    'x-acs-version': call.version,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    call.method,
    '/',
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    emptyBody,
  ].join('\n');
  const signature = createHmac('sha256', call.accessKeySecret)
    .update(`ACS3-HMAC-SHA256\n${createHash('sha256').update(canonical).digest('hex')}`)
    .digest('hex');
  headers.authorization = `ACS3-HMAC-SHA256 Credential=${call.accessKeyId},SignedHeaders=${names.join(';')},Signature=${signature}`;
  return { query, headers };
}

/** Sends by SendSms (version 2017-05-25). `OutId` carries the number of the message into receipts. */
export async function sendByAliyun(account: AliyunSms, sms: SmsToSend): Promise<void> {
  const { template } = sms;
  if (!template) throw new SendFailure(`aliyun: no template for ${sms.purpose}`);
  const url = new URL(account.endpoint);
  const { query, headers } = signAcs({
    method: 'POST',
    host: url.host,
    action: 'SendSms',
    version: '2017-05-25',
    query: {
      PhoneNumbers: sms.phone.replace(/^\+86/, ''),
      SignName: account.signName,
      TemplateCode: template.code,
      ...(template.names.length > 0
        ? {
            TemplateParam: JSON.stringify(
              Object.fromEntries(template.names.map((name, index) => [name, template.values[index]])),
            ),
          }
        : {}),
      OutId: sms.number,
    },
    accessKeyId: account.accessKeyId,
    accessKeySecret: account.accessKeySecret,
    at: new Date(),
    nonce: randomBytes(16).toString('hex'),
  });
  const answer = await callProvider(
    'aliyun',
    `${url.origin}/?${query}`,
    { method: 'POST', headers },
    account.timeoutMs,
  );
  const code = codeOf(answer.text);
  if (answer.http === 200 && code === 'OK') return;
  throw FINAL.has(code) ? new SendRefused(`aliyun: ${code}`) : new SendFailure(`aliyun: ${code}`);
}

/** What no repeat changes: the number, the texts or the templates. Limits, balance, keys and faults may change. */
const FINAL: ReadonlySet<string> = new Set([
  'isv.MOBILE_NUMBER_ILLEGAL',
  'isv.INVALID_PARAMETERS',
  'isv.INVALID_JSON_PARAM',
  'isv.TEMPLATE_MISSING_PARAMETERS',
  'isv.TEMPLATE_PARAMS_ILLEGAL',
  'isv.PARAM_LENGTH_LIMIT',
  'isv.PARAM_NOT_SUPPORT_URL',
  'isv.BLACK_KEY_CONTROL_LIMIT',
  'isv.SMS_CONTENT_ILLEGAL',
  'isv.SMS_TEMPLATE_ILLEGAL',
  'isv.SMS_SIGNATURE_ILLEGAL',
]);

function codeOf(text: string): string {
  try {
    return toldCode((JSON.parse(text) as { Code?: unknown } | null)?.Code);
  } catch {
    return 'unknown answer';
  }
}

/** RFC 3986: everything but letters, digits and -_.~ is escaped. */
function percent(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
