import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A store in memory that speaks as much of S3 as the product uses and checks every signature by its own reading of the rules. */
export interface S3Server {
  /** For STORAGE_URL. */
  readonly url: string;
  /** Objects by `bucket/key`, with the time they were written. */
  readonly objects: Map<string, { body: Buffer; at: Date }>;
  /** Lines `METHOD path?query` of what was let in. */
  readonly log: string[];
  /** What the next calls get instead of an answer: a status, or `cut` for a connection that ends. */
  readonly faults: (number | 'cut' | 'cutBody')[];
  close(): Promise<void>;
}

const KEY = 'AKIDEXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'cn-north-1';

/** Starts it on a free port. `pageSize` objects are listed at a time. */
export async function startS3Server(pageSize = 2): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map();
  const log: string[] = [];
  const faults: S3Server['faults'] = [];
  const server = http.createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const fault = faults.shift();
      if (fault === 'cut') return request.socket.destroy();
      const fail = (status: number, code: string) => {
        response.writeHead(status, { 'Content-Type': 'application/xml' });
        response.end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`);
      };
      if (typeof fault === 'number') return fail(fault, 'InternalError');
      const problem = signatureProblem(request, body);
      if (problem) return fail(403, problem);
      const url = new URL(request.url!, 'http://store');
      log.push(`${request.method} ${request.url}`);
      const path = decodeURIComponent(url.pathname).slice(1);
      if (!path.startsWith('files')) return fail(404, 'NoSuchBucket');
      if (request.method === 'PUT') {
        objects.set(path, { body, at: new Date() });
        return response.end();
      }
      if (request.method === 'DELETE') {
        objects.delete(path);
        return response.writeHead(204).end();
      }
      if (!path.includes('/')) {
        if (request.method === 'HEAD') return response.end();
        return response.end(listing(objects, path, url.searchParams, pageSize));
      }
      const found = objects.get(path);
      if (!found) return fail(404, 'NoSuchKey');
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      const part = range ? found.body.subarray(Number(range[1]), Number(range[2]) + 1) : found.body;
      response.writeHead(range ? 206 : 200, { 'Content-Length': part.length });
      if (fault === 'cutBody') {
        response.write(part.subarray(0, part.length >> 1), () => request.socket.destroy());
        return undefined;
      }
      return response.end(part);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `s3://${KEY}:${encodeURIComponent(SECRET)}@127.0.0.1:${port}/files/shop?region=${REGION}&tls=0`,
    objects,
    log,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is wrong with the signature of a request as it came over the wire, or undefined. */
function signatureProblem(request: http.IncomingMessage, body: Buffer): string | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (!given) return 'AccessDenied';
  const [, key, day, region, names, signature] = given as unknown as string[];
  if (key !== KEY) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  const time = String(request.headers['x-amz-date']);
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time);
  if (!parts || !time.startsWith(day!)) return 'AccessDenied';
  const at = Date.UTC(+parts[1]!, +parts[2]! - 1, +parts[3]!, +parts[4]!, +parts[5]!, +parts[6]!);
  if (Math.abs(Date.now() - at) > 15 * 60_000) return 'RequestTimeTooSkewed';
  const signed = names!.split(';');
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!signed.includes(needed)) return 'AccessDenied';
  if ([...signed].sort().join() !== signed.join()) return 'AccessDenied';
  const hash = createHash('sha256').update(body).digest('hex');
  if (request.headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch';
  if (request.method === 'PUT' && request.headers['content-length'] !== String(body.length))
    return 'MissingContentLength';
  const [path, query = ''] = request.url!.split('?') as [string, string?];
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  let canonical = `${request.method}\n${path}\n${pairs.sort().join('&')}\n`;
  for (const name of signed) canonical += `${name}:${String(request.headers[name] ?? '').trim()}\n`;
  canonical += `\n${names}\n${hash}`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${digest}`;
  const ofDay = createHmac('sha256', `AWS4${SECRET}`).update(day!).digest();
  const ofRegion = createHmac('sha256', ofDay).update(region!).digest();
  const ofService = createHmac('sha256', ofRegion).update('s3').digest();
  const ofRequest = createHmac('sha256', ofService).update('aws4_request').digest();
  const wanted = createHmac('sha256', ofRequest).update(toSign).digest();
  return timingSafeEqual(wanted, Buffer.from(signature!, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}

function listing(
  objects: S3Server['objects'],
  bucket: string,
  query: URLSearchParams,
  pageSize: number,
): string {
  const prefix = query.get('prefix') ?? '';
  const keys = [...objects.keys()]
    .map((path) => path.slice(bucket.length + 1))
    .filter((key) => key.startsWith(prefix) && key > (query.get('continuation-token') ?? ''))
    .sort();
  const page = keys.slice(0, pageSize);
  const entries = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>${objects.get(`${bucket}/${key}`)!.at.toISOString()}</LastModified></Contents>`,
  );
  const next = keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult>${entries.join('')}${next}</ListBucketResult>`;
}
