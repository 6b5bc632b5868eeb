import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Where an S3-compatible store is and who we are to it. */
export interface S3Address {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly bucket: string;
  /** Folder inside the bucket with its slash at the end; empty for none. */
  readonly prefix: string;
  readonly region: string;
}

/** The store answered with something else than success. `status` is its HTTP status, `code` its own word for it. */
export class S3Failure extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(`the file store answered ${status}${code ? ` (${code})` : ''}`);
    this.status = status;
    this.code = code;
  }
}

/**
 * Reads `s3://KEY:SECRET@host:port/bucket/folder?region=…&tls=0|1`. Key and secret are percent-encoded where they hold
 * signs of an address; tls is on and the region us-east-1 unless said otherwise. Throws without repeating the secret.
 */
export function readS3Address(address: string): S3Address {
  const wanted = 'STORAGE_URL must look like s3://KEY:SECRET@host:port/bucket?region=us-east-1&tls=1';
  if (!URL.canParse(address)) throw new Error(wanted);
  const url = new URL(address);
  const [bucket = '', ...folders] = url.pathname.split('/').filter((part) => part !== '');
  const unknown = [...url.searchParams.keys()].filter((name) => !['region', 'tls'].includes(name));
  const tls = url.searchParams.get('tls') ?? '1';
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (url.protocol !== 's3:' || !url.hostname || !url.username || !url.password || unknown.length > 0)
    throw new Error(wanted);
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) || folders.some((part) => !/^[A-Za-z0-9_-]+$/.test(part)))
    throw new Error(`${wanted}: the bucket or folder has characters that are not allowed`);
  if (!/^[01]$/.test(tls) || !/^[a-z0-9-]{1,40}$/.test(region))
    throw new Error(`${wanted}: region or tls is not usable`);
  return {
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    host: url.hostname,
    port: url.port === '' ? (tls === '1' ? 443 : 80) : Number(url.port),
    tls: tls === '1',
    bucket,
    prefix: folders.map((part) => `${part}/`).join(''),
    region,
  };
}

/** What is signed of a request. Header names are lower case; `path` and `query` are not encoded yet. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex. */
  readonly payloadHash: string;
}

/** SHA-256 of nothing, the payload of a request without a body. */
export const NO_PAYLOAD = createHash('sha256').digest('hex');

/** The headers of a request with its AWS Signature Version 4; all of them are signed. */
export function signedHeaders(
  request: S3Request,
  who: Pick<S3Address, 'accessKey' | 'secretKey' | 'region'>,
  at: Date,
): Record<string, string> {
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${who.region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': request.payloadHash,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    encodePath(request.path),
    encodeQuery(request.query ?? {}),
    ...names.map((name) => `${name}:${headers[name]!.trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    request.payloadHash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')];
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${who.secretKey}`);
  const signature = hmac(key, toSign.join('\n')).toString('hex');
  const credential = `${who.accessKey}/${scope}`;
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return headers;
}

/** What is sent along with a request. */
export interface S3Body {
  readonly length: number;
  readonly sha256: Buffer;
  /** Opens the bytes from the start; called once for each try. */
  open(): Readable;
}

const TRIES = 3;
const PAUSE_MS = 300;
const QUIET_MS = 30_000;
const SLOW_READER_MS = 300_000;

/**
 * Sends a request for an object (`''`: the bucket itself) and returns the answer of a success; its body must be read.
 * Repeats up to three times while nothing was received: after a lost connection, 500, 502, 503, 504 and "slow down".
 * Throws S3Failure, or what the connection failed with.
 */
export async function s3Call(
  address: S3Address,
  method: S3Request['method'],
  key: string,
  more: {
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: S3Body;
  } = {},
): Promise<http.IncomingMessage> {
  for (let tried = 1; ; tried++) {
    try {
      const answer = await send(address, method, key, more);
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return answer;
      throw new S3Failure(status, codeOf(method === 'HEAD' ? '' : await text(answer)));
    } catch (error) {
      const isLasting = error instanceof S3Failure && ![429, 500, 502, 503, 504].includes(error.status);
      if (isLasting || tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tried));
    }
  }
}

function send(
  address: S3Address,
  method: S3Request['method'],
  key: string,
  more: Parameters<typeof s3Call>[3] & object,
): Promise<http.IncomingMessage> {
  const path = `/${address.bucket}${key === '' ? '' : `/${address.prefix}${key}`}`;
  const isDefaultPort = address.port === (address.tls ? 443 : 80);
  const headers = signedHeaders(
    {
      method,
      path,
      query: more.query ?? {},
      headers: {
        host: isDefaultPort ? address.host : `${address.host}:${address.port}`,
        ...(more.body ? { 'content-length': String(more.body.length) } : {}),
        ...more.headers,
      },
      payloadHash: more.body ? more.body.sha256.toString('hex') : NO_PAYLOAD,
    },
    address,
    new Date(),
  );
  const query = encodeQuery(more.query ?? {});
  return new Promise((resolve, reject) => {
    const request = (address.tls ? https : http).request(
      {
        host: address.host.replace(/^\[|\]$/g, ''),
        port: address.port,
        method,
        path: `${encodePath(path)}${query === '' ? '' : `?${query}`}`,
        headers,
        agent: address.tls ? httpsAgent : httpAgent,
      },
      (answer) => {
        // A slow reader holds the answer back; that is no failure of the store.
        request.setTimeout(SLOW_READER_MS);
        resolve(answer);
      },
    );
    request.setTimeout(QUIET_MS, () => request.destroy(new Error('the file store did not answer in time')));
    request.on('error', reject);
    if (!more.body) return request.end();
    const body = more.body.open();
    body.on('error', (error) => request.destroy(error));
    // An answer that comes early (refused) ends the sending.
    request.on('close', () => body.destroy());
    body.pipe(request);
  });
}

const httpAgent = new http.Agent({ keepAlive: true, maxSockets: 32 });
const httpsAgent = new https.Agent({ keepAlive: true, maxSockets: 32 });

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encodePath(path: string): string {
  return path.split('/').map(encode).join('/');
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name]!)}`)
    .join('&');
}

function codeOf(xml: string): string {
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(xml)?.[1] ?? '';
}
