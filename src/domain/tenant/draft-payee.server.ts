import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { isPrivateKey, readCertificate } from '../payee/certificate.server.ts';
import { numberProblem } from '../payee/payee.rules.ts';
import { putSecrets, tailOf, type SecretKind } from '../payee/payee-secret.server.ts';

/** What a payee account of a new company is drafted from; names of `fields` are those of the form, for messages. */
export interface PayeeDraft {
  readonly channel: 'alipay' | 'wechat';
  readonly name: string;
  readonly appId: string;
  /** Per mille; empty: the default of the channel. */
  readonly feeRate: string;
  readonly secrets: Readonly<Partial<Record<SecretKind, string>>>;
  readonly fields: Readonly<Partial<Record<SecretKind | 'name' | 'appId', string>>>;
}

const NEEDED: Readonly<Record<PayeeDraft['channel'], readonly SecretKind[]>> = {
  alipay: ['number', 'privateKey', 'publicKey'],
  wechat: ['number', 'apiKey', 'certificate', 'privateKey'],
};
const MISSING: Label = ['此项必填', 'This field is required'];

/** True when anything of a draft is filled in. */
export const isBegun = (draft: PayeeDraft): boolean =>
  draft.name !== '' || draft.appId !== '' || Object.values(draft.secrets).some((one) => one !== '');

/** Throws 422 by field where a draft lacks what its channel cannot be without, or keys do not fit. */
export function requireWholeDraft(draft: PayeeDraft): void {
  const problems: Record<string, Label> = {};
  const say = (kind: keyof PayeeDraft['fields'], label: Label) => {
    problems[draft.fields[kind]!] = label;
  };
  if (draft.name === '') say('name', MISSING);
  if (draft.appId === '') say('appId', MISSING);
  for (const kind of NEEDED[draft.channel]) if (!draft.secrets[kind]) say(kind, MISSING);
  const wrong = draft.secrets.number ? numberProblem(draft.channel, draft.secrets.number) : undefined;
  if (wrong) say('number', wrong);
  const { privateKey, certificate } = draft.secrets;
  if (draft.channel === 'wechat' && privateKey && certificate) {
    const read = readCertificate(certificate, privateKey, new Date());
    if ('problem' in read) say(read.field === 'certificate' ? 'certificate' : 'privateKey', read.problem);
  } else if (privateKey && !isPrivateKey(privateKey))
    say('privateKey', ['无法识别的私钥', 'This is not a private key']);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Writes a draft that is whole; it is approved and tested among the payee accounts. */
export async function draftPayee(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  tenant: { readonly id: number; readonly account: string; readonly name: string },
  draft: PayeeDraft,
): Promise<void> {
  const { certificate, privateKey } = draft.secrets;
  const read =
    draft.channel === 'wechat' && certificate && privateKey
      ? readCertificate(certificate, privateKey, new Date())
      : undefined;
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO payee_account (code, name, tenant_id, channel, account_name, number_tail, app_ids, fee_ppm, certificate_serial,
                                certificate_expires_on, edited_by, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11) RETURNING id`,
    [
      `${tenant.account}-${draft.channel === 'alipay' ? 'ALI' : 'WX'}`,
      draft.name.slice(0, 40),
      tenant.id,
      draft.channel,
      tenant.name.slice(0, 60),
      tailOf(draft.secrets.number!),
      JSON.stringify({ default: draft.appId }),
      draft.feeRate === '' ? 6000 : Math.round(Number(draft.feeRate) * 1000),
      read && 'serial' in read ? read.serial : '',
      read && 'serial' in read ? read.expiresAt : null,
      caller.staffId,
    ],
  );
  await putSecrets(tx, platform, { accountId: made!.id }, draft.secrets);
  await writeTimeline(tx, {
    entity: 'payeeAccount',
    entityId: made!.id,
    caller,
    action: 'create',
    label: ['新增', 'Add'],
    to: 'draft',
  });
}
