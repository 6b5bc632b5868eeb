import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { textOf, type Label, type Language } from '../../contract/label.ts';
import { isStorableText } from '../../contract/input.ts';
import type { Caller, RequestFacts } from '../people/caller.ts';
import { holds } from '../people/caller.ts';
import { problemText } from './problem-text.rules.ts';
import { forbidden, InvalidInput, invalid, Refusal, ruleBroken } from './errors.ts';
import { actingAs } from '../people/acting.ts';
import { withIdempotency } from './idempotency.ts';
import { noteOwnWrite } from '../people/own-writes.ts';
import { factsOfCall } from './call-facts.ts';
import type { Platform } from '../platform.ts';
import { JsonText, type Access, type Call, type Endpoint } from '../registration.ts';

/** Turns an Authorization header into a caller, or throws a 401 refusal. */
export interface Authenticator {
  authenticate(authorization: string | undefined, facts: RequestFacts): Promise<Caller>;
}

/** Paths that need no token. An endpoint with access `public` that is not here does not start. */
export const PUBLIC_PATHS: ReadonlySet<string> = new Set([
  '/auth/authLogin/getVerificationCode',
  '/auth/authLogin/judgeVerification',
  '/auth/authLogin/publicKey',
  '/auth/authLogin/options',
  '/auth/authLogin/getPhoneVerification',
  '/auth/authLogin/changePassword',
  '/auth/oauth/token',
  '/auth/oauth/remove/token',
  '/auth/idmcas',
  // Opened in a new window, where no header travels; guarded by ticket and cookie.
  '/jinmao/web/exportTask/:id/file',
  '/file/:id',
  // Programs of gate makers and of the apps, proven by the credential of their client.
  '/jinmao/web/roadGate/report',
  '/jinmao/web/launchAdvert/app/list',
  '/jinmao/web/launchAdvert/app/event',
  '/jinmao/web/userLive/app/open',
]);

const MAX_DEPTH = 10;
const MAX_ENTRIES = 5_000;

/** Looks at every call before it is served, by what somebody decided about it at run time. */
export interface CallWatch {
  /** Before anything else: throws when the call is switched off, adds headers. */
  before(one: Endpoint, reply: FastifyReply): Promise<void>;
  /** Behind the rights: throws when the caller asks too often. */
  admit(one: Endpoint, caller: Caller | undefined, facts: RequestFacts): Promise<void>;
}

/** Registers endpoints under /api with permission check, input check, envelope and idempotency. Throws when one names no access. */
export function mountEndpoints(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  platform: Platform,
  authenticator: Authenticator,
  watch?: CallWatch,
): void {
  const seen = new Set<string>();
  for (const one of endpoints) {
    const path = one.path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
    const key = `${one.method} ${path}`;
    if (seen.has(key)) throw new Error(`endpoint ${key} is declared twice`);
    seen.add(key);
    checkAccess(one.access, key, path);
    app.route({
      method: one.method,
      url: `/api${path}`,
      handler: (request, reply) => serve(one, request, reply, platform, authenticator, watch),
    });
  }
}

/** True when the caller may call an endpoint: ring one of the permissions. */
export function mayCall({ access, scope }: Pick<Endpoint, 'access' | 'scope'>, caller: Caller): boolean {
  if (access === 'public') return true;
  // A program acts for itself where that is written down, and staff never by what is meant for programs.
  const ofProgram = typeof access === 'object' && 'program' in access;
  if (caller.program || ofProgram)
    return (
      caller.program !== undefined &&
      ofProgram &&
      caller.application?.scopes.includes(access.program) === true
    );
  // What every staff may do with an own session (settings, passwords, files) is not for programs.
  if (caller.application && typeof access === 'string')
    return scope !== undefined && !caller.mustChangePassword && caller.application.scopes.includes(scope);
  if (access === 'restricted') return true;
  if (caller.mustChangePassword) return false;
  if (access === 'staff') return true;
  return 'code' in access ? holds(caller, access.code) : access.anyOf.some((code) => holds(caller, code));
}

/** Facts of a request: address (of the connection unless a trusted proxy says otherwise), language, trace id. */
export function factsOf(request: FastifyRequest): RequestFacts {
  return {
    address: request.ip,
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 300),
    language: languageOf(request),
    traceId: request.id,
  };
}

/** Sends a refusal in the envelope of the error catalogue. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal, language: Language): FastifyReply {
  factsOfCall(reply.request).status = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) reply.header(name, value);
  const data =
    refusal instanceof InvalidInput
      ? {
          fields: Object.fromEntries(
            Object.entries(refusal.fields).map(([field, label]) => [field, textOf(label, language)]),
          ),
        }
      : inWords(refusal.data, language);
  return reply
    .code(refusal.http)
    .send({ status: refusal.status, message: textOf(refusal.label, language), data });
}

/** Messages of fields inside of what a refusal tells, in the caller's language. */
function inWords(data: unknown, language: Language): unknown {
  const fields = (data as { fields?: Readonly<Record<string, Label>> } | null)?.fields;
  if (!fields || typeof fields !== 'object') return data;
  return {
    ...(data as object),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, label]) => [name, textOf(label, language)]),
    ),
  };
}

/** The language of a request: `Accept-Language` beginning with en, else Chinese. */
export function languageOf(request: FastifyRequest): Language {
  return /^\s*en/i.test(String(request.headers['accept-language'] ?? '')) ? 'en' : 'zh';
}

const LAPSED: Label = [
  '公司套餐已到期，只能查看与导出，请联系平台续期',
  'The package of your company has ended: you can read and export. Ask the platform to renew it',
];

/** True for what changes data of a company. Exports write nothing, and what a person does to its own session goes on. */
function isWrite({ access, method, path }: Endpoint): boolean {
  return (
    method !== 'GET' && typeof access === 'object' && !('program' in access) && !path.endsWith('/export')
  );
}

async function serve(
  one: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  platform: Platform,
  authenticator: Authenticator,
  watch: CallWatch | undefined,
): Promise<unknown> {
  const facts = factsOf(request);
  const noted = factsOfCall(request);
  noted.endpoint = one;
  await watch?.before(one, reply);
  let caller: Caller | undefined;
  if (one.access !== 'public') {
    caller = await authenticator.authenticate(request.headers.authorization, facts);
    noted.caller = caller;
    reply.header('X-Permission-Epoch', caller.epoch);
    if (caller.locked && !one.whileLocked) throw forbidden(['屏幕已锁定', 'Screen is locked']);
    if (!mayCall(one, caller))
      throw caller.mustChangePassword
        ? forbidden(['请先修改密码', 'Please change your password first'])
        : forbidden();
    if (caller.lapsed && isWrite(one)) throw ruleBroken(LAPSED);
  }
  await watch?.admit(one, caller, facts);
  // Its end comes when the client likes: what is read then would be read with the rights of now.
  if (!one.upload && request.isMultipart?.() === true)
    throw invalid({ _: ['此接口不接收文件', 'No file is received here'] });
  checkStorable(request.query, 'query');
  checkStorable(request.body, 'body', 0, { left: one.mostValues ?? MAX_ENTRIES });
  const call: Call = {
    caller: caller as Caller,
    facts,
    platform,
    params: request.params as Record<string, string>,
    query: readInput(one, one.query, request.query, one.rawQuery),
    body: one.body ? parse(one.body, request.body ?? {}) : request.body,
    request,
    reply,
  };
  const writes = request.method !== 'GET' && caller !== undefined;
  const work = () => (caller ? actingAs(platform, caller, () => one.handle(call)) : one.handle(call));
  const data = writes
    ? await withIdempotency(platform, call, work).finally(() =>
        // A refusal may have written too, and what it tells of is newer than what is kept.
        noteOwnWrite(platform, call.caller.staffId),
      )
    : await work();
  if (one.rawReply || reply.sent) return reply.sent ? reply : data;
  if (data instanceof JsonText)
    return reply.type(JSON_TYPE).send(Buffer.from(`{"status":200,"message":"","data":${data.text}}`));
  return { status: 200, message: '', data: data ?? null };
}

const JSON_TYPE = 'application/json; charset=utf-8';

function readInput(
  one: Endpoint,
  schema: Endpoint['query'],
  value: unknown,
  raw: boolean | undefined,
): unknown {
  if (schema) return parse(schema, value ?? {});
  if (raw) return value;
  const names = Object.keys((value as object | undefined) ?? {});
  if (names.length > 0) throw invalid({ [names[0]!]: ['不接受此参数', 'This parameter is not accepted'] });
  return {};
}

function parse(schema: NonNullable<Endpoint['body']>, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields: Record<string, readonly [string, string]> = {};
  for (const issue of result.error.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.') || '_'];
    for (const name of names)
      fields[name] ??=
        issue.code === 'unrecognized_keys'
          ? ['不接受此字段', 'This field is not accepted']
          : issue.code === 'invalid_type' && valueAt(value, issue.path) === undefined
            ? ['此项必填', 'This field is required']
            : problemText(issue);
  }
  throw invalid(fields);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown> | null)?.[name], value);
}

function checkAccess(access: Access | undefined, key: string, path: string): void {
  if (access === undefined) throw new Error(`endpoint ${key} names no permission`);
  if (access === 'public' && !PUBLIC_PATHS.has(path))
    throw new Error(`endpoint ${key} is public but not on the list of public paths`);
}

/** Refuses text PostgreSQL cannot store, deep nesting and huge lists before any handler sees them. */
function checkStorable(value: unknown, name: string, depth = 0, budget = { left: MAX_ENTRIES }): void {
  if (typeof value === 'string') {
    if (!isStorableText(value))
      throw invalid({ [name]: ['包含无法保存的字符', 'Contains characters that cannot be stored'] });
    return;
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
  if (depth >= MAX_DEPTH) throw invalid({ [name]: ['嵌套过深', 'Nested too deep'] });
  for (const [key, one] of Object.entries(value)) {
    if (--budget.left < 0) throw invalid({ [name]: ['内容过多', 'Too many values'] });
    if (!isStorableText(key))
      throw invalid({ [name]: ['包含无法保存的字符', 'Contains characters that cannot be stored'] });
    checkStorable(one, Array.isArray(value) ? name : key, depth + 1, budget);
  }
}
