import { callProvider } from './http-call.server.ts';
import { SendFailure, SendRefused } from './send-failure.server.ts';
import type { SmsToSend } from './sms-message.server.ts';

/** Templates of a call to any gateway that takes messages by HTTP. `{phone}`, `{text}` … stand for values. */
export interface HttpSms {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly body: string;
  /** Words an accepting answer contains; empty: any answer of 200–299 accepts. */
  readonly success: string;
  readonly secret: string;
  readonly signName: string;
  readonly timeoutMs: number;
}

/**
 * Sends by a gateway of one's own. Values are escaped for the place they stand in: the address and forms by percent
 * signs, JSON and XML by their rules. The header `Idempotency-Key` is the same at every try of a message.
 */
export async function sendByHttp(gateway: HttpSms, sms: SmsToSend): Promise<void> {
  const values: Readonly<Record<string, string>> = {
    ...sms.params,
    phone: sms.phone,
    text: sms.text,
    sign: gateway.signName,
    secret: gateway.secret,
    id: sms.number,
    template: sms.template?.code ?? '',
  };
  const headers: Record<string, string> = { 'idempotency-key': sms.number };
  for (const line of gateway.headers) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    headers[name] = filled(line.slice(colon + 1).trim(), values, inHeader);
  }
  if (gateway.method === 'POST') headers['content-type'] ??= 'application/json';
  const type = headers['content-type'] ?? '';
  const escape = type.includes('json')
    ? inJson
    : type.includes('urlencoded')
      ? encodeURIComponent
      : type.includes('xml')
        ? inXml
        : (text: string) => text;
  const answer = await callProvider(
    'http',
    filled(gateway.url, values, encodeURIComponent),
    {
      method: gateway.method,
      headers,
      ...(gateway.method === 'POST' ? { body: filled(gateway.body, values, escape) } : {}),
    },
    gateway.timeoutMs,
  );
  if (answer.http >= 200 && answer.http < 300) {
    if (answer.text.includes(gateway.success)) return;
    throw new SendRefused('http: the answer does not accept');
  }
  // Too early, too many and wrong keys pass; other refusals of the call do not.
  const isFinal = answer.http >= 400 && answer.http < 500 && ![401, 403, 408, 425, 429].includes(answer.http);
  throw isFinal ? new SendRefused(`http: ${answer.http}`) : new SendFailure(`http: ${answer.http}`);
}

function filled(
  template: string,
  values: Readonly<Record<string, string>>,
  escape: (text: string) => string,
): string {
  // In one pass, so that a value that looks like a place is none.
  return template.replace(/\{([a-zA-Z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escape(values[name]!) : whole,
  );
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Headers hold visible ASCII: anything else travels percent-encoded. */
function inHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
