import {
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { PAYEE_SCOPE } from '../../../domain/payee/payee-alert.server.ts';
import { APP_ID_FIELDS, PAYEE_CHANNELS, type PayeeChannel } from '../../../domain/payee/payee.rules.ts';
import { readSecret, secretMarks } from '../../../domain/payee/payee-secret.server.ts';
import { isSandbox, refundChannel } from '../../../domain/payment-channel/channels.server.ts';
import { ChannelSilent } from '../../../domain/payment-channel/payment-channel.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { changeAccount, OPEN, WAITS } from '../../base-data/payee-account/payee-account.server.ts';
import { mallPayment } from './mall-payment.contract.ts';

const LAST: Label = [
  '这是商城最后一个启用的支付方式，停用后买家无法付款；请再次确认',
  'This is the last pay way of the mall: nobody could pay any more. Please confirm once more',
];

const bound: BoundResource = bindResource(mallPayment, {
  table: 'payee_account',
  entity: 'payeeAccount',
  where: `t.purpose = 'collect' AND t.channel IN ('alipay', 'wechat')`,
  joins: { owner: { table: 'tenant', column: 'tenant_id' } },
  columns: {
    number: `CASE WHEN t.number_tail = '' THEN '' ELSE '****' || t.number_tail END`,
    appId: `coalesce(t.app_ids->>'default', '')`,
    ...Object.fromEntries(
      Object.entries(APP_ID_FIELDS).map(([name, { source }]) => [
        name,
        `coalesce(t.app_ids->>'${source}', '')`,
      ]),
    ),
    certificateExpiresAt: 't.certificate_expires_on',
    pendingChange: `(${OPEN} IS NOT NULL)`,
  },
  writes: {
    appId: false,
    ...Object.fromEntries(Object.keys(APP_ID_FIELDS).map((name) => [name, false as const])),
  },
  scope: PAYEE_SCOPE,
  search: 't.search',
  extra: { changeId: OPEN, builtIn: 't.built_in' },
  ruleReads: ['changeId', 'builtIn', 'mallEnabled'],
  rowRules: {
    update: (row) => (row.changeId ? WAITS : row.builtIn ? NO_KEYS : undefined),
    rotate: (row) => (row.changeId ? WAITS : row.builtIn ? NO_KEYS : undefined),
    mallOn: (row) => (row.mallEnabled ? ['商城已启用该账户', 'It is on in the mall already'] : undefined),
    mallOff: (row) => (row.mallEnabled ? undefined : ['商城未启用该账户', 'It is not on in the mall']),
  },
  checks: { mallOff: refuseLast },
  sets: { mallOff: { mall_enabled: false }, replaced: { mall_enabled: false, is_pay_in_mall: false } },
  handlers: {
    update: changeAccount,
    rotate: async (context) => {
      if (!Object.values(context.input).some((value) => typeof value === 'string' && value !== ''))
        throw invalid({ privateKey: ['请至少填写一项', 'Please enter at least one of them'] });
      return changeAccount(context);
    },
    test: probe,
    mallOn: switchOn,
  },
  detail: async (db, id) => ({
    secrets: (await secretMarks(db, id)).map((mark) => ({
      kind: mark.kind,
      tail: mark.tail,
      setAt: mark.set_at.toISOString(),
    })),
  }),
});

/** Payment accounts of the mall. */
export const registration = bound.registration;

const NO_KEYS: Label = ['沙箱账户没有密钥', 'The account of the sandbox has no keys'];

/** Which accounts a tenant's mall is paid into changes one at a time. */
async function inTurn(tx: Tx, tenantId: unknown): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('mall_payment'), $1::int)`, [Number(tenantId)]);
}

async function switchOn({ tx, platform, row, id }: ActionContext) {
  await inTurn(tx, row.tenant_id);
  if (row.certificate_expires_on && new Date(row.certificate_expires_on as string).getTime() <= Date.now())
    throw ruleBroken(['证书已过期，请先更换证书', 'The certificate has expired, please replace it first']);
  const before = await runOne<{ id: number; name: string }>(
    tx,
    'SELECT id, name FROM payee_account WHERE tenant_id = $1 AND channel = $2 AND mall_enabled AND id <> $3',
    [row.tenant_id, row.channel, id],
  );
  // One of a channel at a time: the index would refuse a second.
  if (before) await bound.actAsSystem(tx, platform, 'replaced', before.id, {});
  return {
    set: { is_pay_in_mall: true, mall_enabled: true },
    ...(before && { remark: `原账户：${before.name}` }),
  };
}

async function refuseLast({ tx, row, id, input }: ActionContext) {
  await inTurn(tx, row.tenant_id);
  const other = await runOne(
    tx,
    `SELECT FROM payee_account WHERE tenant_id = $1 AND id <> $2 AND is_pay_in_mall AND mall_enabled AND state = 'active'`,
    [row.tenant_id, id],
  );
  if (!other && input.last !== true) throw ruleBroken(LAST);
}

/** Signs a word with the keys of the account and asks its channel for a number that nobody knows. */
async function probe({ tx, platform, row, id, facts }: ActionContext) {
  const channel = row.channel as Exclude<PayeeChannel, 'bank'>;
  const signature = row.built_in
    ? SANDBOX_SIGNS
    : await signatureOf(channel, {
        privateKey: await readSecret(tx, platform, id, 'privateKey'),
        publicKey: await readSecret(tx, platform, id, 'publicKey'),
        certificate: await readSecret(tx, platform, id, 'certificate'),
      });
  const no = PAYEE_CHANNELS[channel].code;
  const since = performance.now();
  let query: Label;
  try {
    const answer = await refundChannel(platform, no).query(`PROBE${id}`, `PROBE${id}`);
    query =
      answer.state === 'none'
        ? isSandbox(platform, no)
          ? ['沙箱应答正常', 'the sandbox answers']
          : ['渠道应答正常', 'the channel answers']
        : [`渠道应答 ${answer.code}`, `the channel says ${answer.code}`];
  } catch (error) {
    if (!(error instanceof ChannelSilent)) throw error;
    query = ['渠道未应答', 'the channel does not answer'];
  }
  const milliseconds = Math.round(performance.now() - since);
  const index = facts.language === 'en' ? 1 : 0;
  return {
    remark: `${signature[0]}；${query[0]}，${milliseconds} ms`,
    result: { signature: signature[index], query: query[index], milliseconds },
  };
}

const SANDBOX_SIGNS: Label = ['沙箱账户无需签名', 'The account of the sandbox needs no signature'];
const MISSING: Label = ['签名失败：缺少密钥', 'Signature failed: keys are missing'];
const UNREADABLE: Label = ['签名失败：私钥无法识别', 'Signature failed: the private key cannot be read'];
const FOREIGN: Label = [
  '签名失败：证书与私钥不匹配',
  'Signature failed: the certificate does not match the key',
];
const BAD_PUBLIC: Label = ['签名成功，平台公钥无法识别', 'Signed, but the platform key cannot be read'];
const SIGNED: Label = ['签名成功', 'Signed'];

interface Keys {
  readonly privateKey: string | undefined;
  readonly publicKey: string | undefined;
  readonly certificate: string | undefined;
}

async function signatureOf(channel: 'alipay' | 'wechat', keys: Keys): Promise<Label> {
  if (!keys.privateKey || !(channel === 'wechat' ? keys.certificate : keys.publicKey)) return MISSING;
  const own =
    keyOf(keys.privateKey, 'PRIVATE KEY', createPrivateKey) ??
    keyOf(keys.privateKey, 'RSA PRIVATE KEY', createPrivateKey);
  if (!own) return UNREADABLE;
  const signature = createSign('RSA-SHA256').update('probe').sign(own);
  if (channel === 'wechat') {
    try {
      const merchant = new X509Certificate(keys.certificate!).publicKey;
      return createVerify('RSA-SHA256').update('probe').verify(merchant, signature) ? SIGNED : FOREIGN;
    } catch {
      return FOREIGN;
    }
  }
  // The platform's key proves what the platform signs; here it can only be read.
  return keyOf(keys.publicKey!, 'PUBLIC KEY', createPublicKey) ? SIGNED : BAD_PUBLIC;
}

/** A key as PEM, or as the bare base64 between its lines. */
function keyOf(text: string, kind: string, read: (pem: string) => KeyObject): KeyObject | undefined {
  for (const pem of [text, `-----BEGIN ${kind}-----\n${text.replace(/\s/g, '')}\n-----END ${kind}-----`])
    try {
      return read(pem);
    } catch {
      // Another form may fit.
    }
  return undefined;
}
