import { createTransport } from 'nodemailer';
import { SendFailure, SendRefused } from './send-failure.server.ts';

/** A mail server and who writes. */
export interface Smtp {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte (465), `starttls` demanded after the greeting (587), `none` inside one's own network. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly fromName: string;
  readonly timeoutMs: number;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
}

/** An e-mail as senders get it. */
export interface MailToSend {
  /** The same at every try, of this installation alone: mailboxes show two of it once. */
  readonly number: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends one e-mail over a connection of its own. Throws errors that tell the server's code and nothing of its words. */
export async function sendBySmtp(server: Smtp, mail: MailToSend): Promise<void> {
  const { timeoutMs } = server;
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    ...(server.user ? { auth: { user: server.user, pass: server.password } } : {}),
    tls: { minVersion: 'TLSv1.2', ...(server.ca ? { ca: server.ca } : {}) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sent = transport.sendMail({
    from: { name: server.fromName, address: server.from },
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    messageId: `<${mail.number}@${server.from.slice(server.from.lastIndexOf('@') + 1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  let timer: NodeJS.Timeout | undefined;
  // A server that says a word now and then would hold the worker for ever.
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SendFailure('smtp: no answer in time')), timeoutMs * 3);
  });
  try {
    await Promise.race([sent, over]);
  } catch (error) {
    sent.catch(() => {});
    throw failureOf(error);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

function failureOf(error: unknown): Error {
  if (error instanceof SendFailure) return error;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const word = typeof code === 'string' && /^[A-Z_]{2,30}$/.test(code) ? code : 'failed';
  const told = typeof responseCode === 'number' ? `smtp: ${responseCode} ${word}` : `smtp: ${word}`;
  // Addresses and texts the server refuses stay refused; sign-in, limits and faults may pass.
  const isFinal =
    typeof responseCode === 'number' && responseCode >= 500 && (word === 'EENVELOPE' || word === 'EMESSAGE');
  return isFinal ? new SendRefused(told) : new SendFailure(told);
}
