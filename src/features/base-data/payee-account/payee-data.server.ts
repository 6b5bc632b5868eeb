import type { Label } from '../../../kernel/contract/label.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { isPrivateKey, readCertificate } from '../../../domain/payee/certificate.server.ts';
import { APP_ID_FIELDS, numberProblem, type PayeeChannel } from '../../../domain/payee/payee.rules.ts';
import {
  readSecret,
  secretMarks,
  tailOf,
  type SecretKind,
} from '../../../domain/payee/payee-secret.server.ts';

/** What a form says of an account: columns to write, secrets to keep, and both as a difference people may read. */
export interface AccountData {
  readonly columns: Record<string, unknown>;
  readonly secrets: Partial<Record<SecretKind, string>>;
  readonly changes: readonly FieldChange[];
  /** Number, keys or certificate differ, so that a test of before says nothing. */
  readonly credentials: boolean;
}

const SECRET_INPUTS: Readonly<Record<string, SecretKind>> = {
  accountNumber: 'number',
  apiKey: 'apiKey',
  privateKey: 'privateKey',
  certificate: 'certificate',
  publicKey: 'publicKey',
};

/** What an account of a channel cannot be without. */
const NEEDED: Readonly<Record<PayeeChannel, readonly string[]>> = {
  bank: ['accountName', 'accountNumber', 'bank'],
  wechat: ['accountNumber', 'appId', 'apiKey', 'certificate', 'privateKey'],
  alipay: ['accountNumber', 'appId', 'privateKey', 'publicKey'],
};

const MISSING: Label = ['此项必填', 'This field is required'];
const BAD_KEY: Label = ['无法识别的私钥', 'This is not a private key'];
const PLAIN = ['name', 'accountName', 'bank', 'branch', 'bankLineNo', 'feeBearer', 'feeRefundable'] as const;

/**
 * Reads and checks the input of a create, an update or a new certificate against the row as it would be. Throws 422 with the
 * field for what is missing for the channel, numbers with a wrong check digit, certificates that do not fit their key.
 */
export async function readAccountData(context: ActionContext): Promise<AccountData> {
  const { tx, platform, row, input, id } = context;
  const channel = (input.channel ?? row.channel) as PayeeChannel;
  const marks = id === 0 ? [] : await secretMarks(tx, id);
  const old = (kind: SecretKind) => marks.find((mark) => mark.kind === kind);
  const secrets: Partial<Record<SecretKind, string>> = {};
  for (const [name, kind] of Object.entries(SECRET_INPUTS))
    if (typeof input[name] === 'string' && input[name] !== '') secrets[kind] = input[name];
  const problems: Record<string, Label> = {};
  const appIds = (row.app_ids ?? {}) as Record<string, string>;
  const held = (name: string): boolean => {
    const kind = SECRET_INPUTS[name];
    if (kind) return secrets[kind] !== undefined || old(kind) !== undefined;
    const value = name in input ? input[name] : name === 'appId' ? appIds.default : row[SNAKE[name]!];
    return typeof value === 'string' && value !== '';
  };
  // The account of the sandbox has no keys.
  if (row.built_in !== true) for (const name of NEEDED[channel]) if (!held(name)) problems[name] = MISSING;
  const wrongNumber = secrets.number === undefined ? undefined : numberProblem(channel, secrets.number);
  if (wrongNumber) problems.accountNumber = wrongNumber;
  const columns: Record<string, unknown> = {};
  const changes: FieldChange[] = [];
  const change = (field: string, column: string, before: unknown, after: unknown) => {
    if (same(before, after)) return;
    columns[column] = after;
    changes.push({ field, before: before ?? null, after });
  };
  if (channel === 'wechat' && (secrets.certificate || secrets.privateKey)) {
    const key =
      secrets.privateKey ?? (id === 0 ? undefined : await readSecret(tx, platform, id, 'privateKey'));
    const pem =
      secrets.certificate ?? (id === 0 ? undefined : await readSecret(tx, platform, id, 'certificate'));
    const read = key && pem ? readCertificate(pem, key, new Date()) : undefined;
    if (read && 'problem' in read) problems[read.field] = read.problem;
    else if (read) {
      change('certificateSerial', 'certificate_serial', row.certificate_serial ?? '', read.serial);
      change(
        'certificateExpiresAt',
        'certificate_expires_on',
        iso(row.certificate_expires_on),
        read.expiresAt.toISOString(),
      );
    }
  } else if (secrets.privateKey && !isPrivateKey(secrets.privateKey)) problems.privateKey = BAD_KEY;
  if (Object.keys(problems).length > 0) throw invalid(problems);
  for (const name of PLAIN)
    if (name in input) change(name, SNAKE[name]!, row[SNAKE[name]!], input[name] ?? '');
  if (input.feeRate !== undefined && input.feeRate !== null) {
    const ppm = Math.round(Number(input.feeRate) * 1000);
    if (ppm !== row.fee_ppm) {
      columns.fee_ppm = ppm;
      changes.push({ field: 'feeRate', before: permille(row.fee_ppm), after: permille(ppm) });
    }
  }
  const nextIds = { ...appIds };
  for (const [field, key] of [
    ['appId', 'default'],
    // Only WeChat tells its apps apart.
    ...(channel === 'wechat' ? Object.entries(APP_ID_FIELDS).map(([name, one]) => [name, one.source]) : []),
  ] as [string, string][]) {
    if (!(field in input) || same(input[field], appIds[key])) continue;
    nextIds[key] = (input[field] as string | null) ?? '';
    columns.app_ids = nextIds;
    changes.push({ field, before: appIds[key] || null, after: nextIds[key] || null });
  }
  for (const [name, kind] of Object.entries(SECRET_INPUTS)) {
    const text = secrets[kind];
    if (text === undefined) continue;
    const tail = tailOf(text);
    if (kind === 'number') columns.number_tail = tail;
    changes.push({
      field: kind === 'number' ? 'number' : name,
      before: old(kind) ? `****${old(kind)!.tail}` : null,
      after: `****${tail}`,
    });
  }
  return { columns, secrets, changes, credentials: Object.keys(secrets).length > 0 };
}

const SNAKE: Readonly<Record<string, string>> = {
  name: 'name',
  accountName: 'account_name',
  bank: 'bank',
  branch: 'branch',
  bankLineNo: 'bank_line_no',
  feeBearer: 'fee_bearer',
  feeRefundable: 'fee_refundable',
};

const same = (one: unknown, other: unknown): boolean => (one ?? '') === (other ?? '');

const iso = (value: unknown): string | null =>
  value instanceof Date ? value.toISOString() : ((value as string | null | undefined) ?? null);

/** Parts per million as the text of a rate in ‰. */
function permille(ppm: unknown): string | null {
  return typeof ppm === 'number' ? (ppm / 1000).toFixed(2) : null;
}
