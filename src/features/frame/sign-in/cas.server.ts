import { ruleBroken, timedOut, type Refusal } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { readCasAnswer } from './cas.rules.ts';
import { signInConfig } from './sign-in-config.server.ts';

/** 409: the CAS server does not know the ticket, or it was used already. */
export function ticketRefused(): Refusal {
  return ruleBroken(['票据无效或已过期', 'Ticket invalid or expired']);
}

/**
 * The CAS account of a ticket, from the configured server's `/p3/serviceValidate`.
 * Throws 409 without a configuration or with a bad ticket, 504 when the server is silent for 5 s or answers rubbish.
 */
export async function validateTicket(platform: Platform, ticket: string): Promise<string> {
  const { cas } = signInConfig(platform);
  if (!cas) throw ruleBroken(['单点登录未配置', 'Single sign-on is not configured']);
  if (!/^[\x21-\x7e]{1,256}$/.test(ticket)) throw ticketRefused();
  const query = new URLSearchParams({ service: cas.service, ticket });
  const answer = readCasAnswer(
    await fetchText(platform, `${cas.url.replace(/\/+$/, '')}/p3/serviceValidate?${query}`),
  );
  if ('user' in answer) return answer.user;
  if (answer.failure !== 'malformed') throw ticketRefused();
  platform.log.warn('the single sign-on server answered something that is no CAS answer');
  throw timedOut();
}

const PATIENCE_MS = 5_000;
const MOST_BYTES = 65_536;

async function fetchText(platform: Platform, address: string): Promise<string> {
  try {
    // A redirect could carry the ticket to another server.
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error('answer too long');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    // The address holds the ticket and stays out of the log.
    platform.log.warn({ error: (error as Error).name }, 'the single sign-on server could not be asked');
    throw timedOut();
  }
}
