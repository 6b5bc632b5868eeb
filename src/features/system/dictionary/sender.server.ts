import { z } from 'zod';
import { lacking, lockSenders, TEST_PURPOSE } from '../../../domain/message/deliver-message.server.ts';
import { queueMail, queueSms } from '../../../domain/message/queue-message.server.ts';
import {
  dropSenderSecret,
  putSenderSecret,
  senderSecretMarks,
} from '../../../domain/message/sender-secret.server.ts';
import { SENDER_SECRET_NAMES, type SenderSecret } from '../../../domain/message/sender.rules.ts';
import { senderProblems } from '../../../domain/message/senders.server.ts';
import { fill, textOf, type Label } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { settingPage } from './setting.contract.ts';
import type { SenderChannel, SenderState, SenderTest } from './sender.contract.ts';

const root = '/admin/messageSender';
const testing = { code: elementCode(settingPage, 'btn_testSender') };
const secrets = { code: elementCode(settingPage, 'btn_senderSecret') };

/** Seconds between two test messages of a channel, whoever asks: a test costs money and reaches anybody. */
const TEST_PAUSE = 10;
const KINDS = Object.keys(SENDER_SECRET_NAMES) as [SenderSecret, ...SenderSecret[]];
const TABLES = { sms: 'sms_message', email: 'email_message' } as const;
const SECRETS_OF = { sms: ['http', 'aliyun', 'tencent'], email: ['smtp'] } as const;

const NO_SECRET: Label = ['尚未设置', 'Nothing is set'];
const TEST: Label = [
  '这是一条测试消息，收到即表示发送通道可用。',
  'This is a test message: the sender works if you read it.',
];
const TEST_SUBJECT: Label = ['测试消息', 'Test message'];

/** Secrets of the ways messages leave by, and the test of them. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: root,
      title: ['发送通道', 'Senders'],
      access: { anyOf: [testing.code, secrets.code] },
      handle: (call) => stateOf(call),
    }),
    endpoint({
      method: 'PUT',
      path: `${root}/secret`,
      title: ['设置发送密钥', 'Set secrets of senders'],
      access: secrets,
      body: z.strictObject({ kind: z.enum(KINDS), secret: z.string().min(1).max(500) }),
      handle: async (call) => {
        const { kind, secret } = call.body;
        await change(call, kind, async (tx) =>
          putSenderSecret(tx, call.platform, kind, secret, call.caller.staffId),
        );
        return stateOf(call);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/secret/remove`,
      title: ['清除发送密钥', 'Remove secrets of senders'],
      access: secrets,
      body: z.strictObject({ kind: z.enum(KINDS) }),
      handle: async (call) => {
        const { kind } = call.body;
        await change(call, kind, async (tx) => {
          const problem = lacking(await senderProblems(tx, call.platform, { without: kind }));
          if (problem) throw ruleBroken(problem);
          if (!(await dropSenderSecret(tx, kind))) throw ruleBroken(NO_SECRET);
        });
        return stateOf(call);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/test`,
      title: ['测试发送', 'Send a test message'],
      access: testing,
      body: z.strictObject({ channel: z.enum(['sms', 'email']), to: z.string().max(200) }),
      handle: async (call): Promise<SenderTest> => {
        requirePlatform(call);
        const { channel } = call.body;
        const to = call.body.to.trim();
        requireReceiver(channel, to);
        const id = await transaction(call.platform.database.db, async (tx) => {
          await lockSenders(tx);
          await requirePause(tx, channel);
          const body = textOf(TEST, call.facts.language);
          const common = { purpose: TEST_PURPOSE, body, validSeconds: 300 };
          const written =
            channel === 'sms'
              ? await queueSms(tx, {
                  ...common,
                  phone: to,
                  params: { code: '000000', title: textOf(TEST_SUBJECT, call.facts.language) },
                })
              : await queueMail(tx, {
                  ...common,
                  address: to,
                  subject: textOf(TEST_SUBJECT, call.facts.language),
                });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: settingPage.menu,
            action: 'testSender',
            entity: 'messageSender',
            entityId: channel,
            after: { to: maskValue(channel === 'sms' ? 'phone' : 'email', to) },
          });
          return written;
        });
        return { id: String(id), state: 'queued', error: null };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/test/:channel/:id`,
      title: ['测试发送', 'Send a test message'],
      access: testing,
      handle: async (call): Promise<SenderTest> => {
        requirePlatform(call);
        const { channel, id } = call.params;
        const table = channel === 'sms' || channel === 'email' ? TABLES[channel] : undefined;
        if (!table || !/^\d{1,15}$/.test(id!)) throw notFound();
        const row = await runOne<{ state: SenderTest['state']; error: string | null }>(
          call.platform.database.db,
          `SELECT state, error FROM ${table} WHERE id = $1 AND purpose = $2`,
          [Number(id), TEST_PURPOSE],
        );
        if (!row) throw notFound();
        return { id: id!, ...row };
      },
    }),
  ],
});

function requirePlatform(call: Pick<Call, 'caller'>): void {
  if (call.caller.tenantKind !== 3) throw forbidden();
}

async function stateOf(call: Call<unknown, unknown>): Promise<SenderState> {
  requirePlatform(call);
  const { settings, database } = call.platform;
  const marks = await senderSecretMarks(database.db);
  const channel = async (name: SenderChannel) => {
    const key = `${name}.sender`;
    const sender = await settings.text(key);
    const choice = settings.declarations.find((one) => one.key === key)?.choices?.[sender];
    return {
      sender,
      name: choice ? textOf(choice.label, call.facts.language) : sender,
      secrets: SECRETS_OF[name].map((kind) => {
        const mark = marks.find((one) => one.kind === kind);
        return { kind, setAt: mark ? isoInstant(mark.set_at) : null, setBy: mark?.who ?? null };
      }),
    };
  };
  return { channels: { sms: await channel('sms'), email: await channel('email') } };
}

/** Changes a secret; the record says that it was, and never what it is. */
async function change(
  call: Call<unknown, unknown>,
  kind: string,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  requirePlatform(call);
  await transaction(call.platform.database.db, async (tx) => {
    await lockSenders(tx);
    await work(tx);
    await writeAudit(tx, {
      caller: call.caller,
      facts: call.facts,
      menu: settingPage.menu,
      action: 'setSenderSecret',
      entity: 'messageSender',
      entityId: kind,
    });
  });
}

function requireReceiver(channel: SenderChannel, to: string): void {
  if (channel === 'sms' && !/^(1[3-9]\d{9}|\+[1-9]\d{6,14})$/.test(to))
    throw invalid({ to: ['请输入正确的手机号', 'Please enter a phone number'] });
  if (channel === 'email' && !/^[^\s@<>",;]{1,64}@[^\s@<>",;]{1,190}$/.test(to))
    throw invalid({ to: ['请输入正确的邮箱地址', 'Please enter an e-mail address'] });
}

async function requirePause(tx: Tx, channel: SenderChannel): Promise<void> {
  const [row] = await run<{ wait: number }>(
    tx,
    `SELECT coalesce(ceil(extract(epoch FROM max(created_at) + make_interval(secs => $2) - clock_timestamp())), 0)::int AS wait
       FROM ${TABLES[channel]} WHERE purpose = $1`,
    [TEST_PURPOSE, TEST_PAUSE],
  );
  const wait = row!.wait;
  if (wait > 0)
    throw tooMany(fill(['请 {n} 秒后再试', 'Try again in {n} {n|second|seconds}'], { n: wait }), wait);
}
