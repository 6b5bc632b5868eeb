import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net, { isIP, type LookupFunction } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import tls from 'node:tls';
import { addressClass } from './upstream-address.rules.ts';

/** Resolves names; handed in by tests. */
export type Resolve = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const resolveByDns: Resolve = (host) => dns.promises.lookup(host, { all: true });

/** What is sent to an upstream. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable | undefined;
  readonly bodyLimit: number;
  readonly timeoutMs: number;
  readonly privateAllowed: boolean;
}

/** Why nothing came back. */
export type ForwardProblem = 'refused' | 'unreachable' | 'timeout' | 'tooLarge';

/** Thrown instead of an answer. */
export class ForwardFailure extends Error {
  constructor(readonly problem: ForwardProblem) {
    super(problem);
  }
}

/** Sends calls to upstreams over connections of its own. */
export interface Forwarder {
  /** Throws {@link ForwardFailure}. The answer is a stream that must be read or destroyed. */
  send(outgoing: Outgoing): Promise<http.IncomingMessage>;
  close(): void;
}

/**
 * Makes a forwarder. A name is resolved when a connection is made, every address it has is looked at, and the connection goes to
 * exactly those: what a name means later is looked at again. Link-local and metadata addresses are never connected to.
 */
export function createForwarder(resolve: Resolve = resolveByDns): Forwarder {
  const agents = new Map<string, http.Agent | https.Agent>();
  const agentOf = (secure: boolean, privateAllowed: boolean) => {
    const key = `${secure} ${privateAllowed}`;
    let agent = agents.get(key);
    if (!agent) {
      const options = { keepAlive: true, maxSockets: 200, keepAliveMsecs: 5_000, timeout: 60_000 };
      agent = secure ? new https.Agent(options) : new http.Agent(options);
      agents.set(key, agent);
    }
    return agent;
  };
  return {
    send: (outgoing) =>
      new Promise((answered, failed) => {
        const { url, privateAllowed } = outgoing;
        const host = url.hostname.replace(/^\[|\]$/g, '');
        // A literal address is connected to without being resolved.
        if (isIP(host) !== 0 && !isAllowed(host, privateAllowed)) {
          outgoing.body?.resume();
          return failed(new ForwardFailure('refused'));
        }
        const secure = url.protocol === 'https:';
        const request = (secure ? https : http).request({
          protocol: url.protocol,
          host,
          port: url.port || (secure ? 443 : 80),
          path: `${url.pathname}${url.search}`,
          method: outgoing.method,
          headers: outgoing.headers,
          agent: agentOf(secure, privateAllowed),
          lookup: checkedLookup(resolve, privateAllowed),
          setHost: false,
        });
        let isOver = false;
        const fail = (problem: ForwardProblem) => {
          if (isOver) return;
          isOver = true;
          clearTimeout(timer);
          request.destroy();
          failed(new ForwardFailure(problem));
        };
        const timer = setTimeout(() => fail('timeout'), outgoing.timeoutMs);
        request.on('error', (error: NodeJS.ErrnoException) =>
          fail(error.code === 'EFORBIDDEN' ? 'refused' : 'unreachable'),
        );
        request.on('response', (response) => {
          if (isOver) return response.destroy();
          isOver = true;
          clearTimeout(timer);
          // The body must not stand still for longer than the call may take.
          response.setTimeout(outgoing.timeoutMs, () => response.destroy(new Error('the body stood still')));
          answered(response);
        });
        if (!outgoing.body) return request.end();
        let size = 0;
        const counted = new Transform({
          transform(chunk: Buffer, _encoding, done) {
            size += chunk.length;
            if (size > outgoing.bodyLimit) {
              fail('tooLarge');
              return done();
            }
            done(null, chunk);
          },
        });
        outgoing.body.on('error', () => fail('unreachable'));
        outgoing.body.pipe(counted).pipe(request);
        return undefined;
      }),
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** What a connection without a request tells of an upstream. */
export interface ProbedUpstream {
  readonly up: boolean;
  /** Of https only. */
  readonly certificateEndsAt: Date | undefined;
}

const PROBE_MS = 3_000;

/** Connects to an address and lets go of it, under the same rules as a call. */
export function probeUpstream(
  address: string,
  privateAllowed: boolean,
  resolve: Resolve = resolveByDns,
): Promise<ProbedUpstream> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  if (isIP(host) !== 0 && !isAllowed(host, privateAllowed))
    return Promise.resolve({ up: false, certificateEndsAt: undefined });
  return new Promise((done) => {
    const options = {
      host,
      port: Number(url.port || (secure ? 443 : 80)),
      lookup: checkedLookup(resolve, privateAllowed),
    };
    const socket = secure
      ? // A certificate that is not trusted has an end, too; calls refuse it.
        tls.connect({
          ...options,
          rejectUnauthorized: false,
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : net.connect(options);
    const end = (up: boolean) => {
      const until = secure && up ? Date.parse((socket as tls.TLSSocket).getPeerCertificate().valid_to) : NaN;
      socket.destroy();
      done({ up, certificateEndsAt: Number.isNaN(until) ? undefined : new Date(until) });
    };
    socket.setTimeout(PROBE_MS, () => end(false));
    socket.on('error', () => end(false));
    socket.on(secure ? 'secureConnect' : 'connect', () => end(true));
  });
}

function isAllowed(address: string, privateAllowed: boolean): boolean {
  const kind = addressClass(address);
  return kind === 'public' || (kind === 'private' && privateAllowed);
}

function checkedLookup(resolve: Resolve, privateAllowed: boolean): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        // One bad address is enough: a name that means both is not to be trusted.
        if (addresses.length === 0 || !addresses.every((one) => isAllowed(one.address, privateAllowed))) {
          const error: NodeJS.ErrnoException = new Error('the address is not allowed');
          error.code = 'EFORBIDDEN';
          return done(error, '', 0);
        }
        if (options.all) return done(null, addresses as dns.LookupAddress[]);
        return done(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };
}
