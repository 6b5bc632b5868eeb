import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, loggedOut, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import {
  canGet,
  CHANNELS,
  DEFAULT_SWITCHES,
  noticeKinds,
  type Channel,
  type NoticeKindCode,
} from '../../../domain/notification/notice-kinds.rules.ts';
import { SWITCHES_KEY } from '../../../domain/notification/notify.server.ts';

type Switches = Readonly<Record<Channel, boolean>>;
const change = z
  .strictObject({ inApp: z.boolean(), sms: z.boolean(), email: z.boolean() })
  .partial()
  .refine((value) => Object.keys(value).length > 0);

const ROOT = '/admin/notification/kinds';

/** Which messages a staff wants, and which way they come. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: ROOT,
      title: ['通知设置', 'Kinds of notifications'],
      access: 'staff',
      handle: async ({ platform, caller, facts }) => {
        const row = await runOne<Reach & { kept: Kept | null }>(platform.database.db, REACH, [
          caller.staffId,
          SWITCHES_KEY,
        ]);
        if (!row) throw loggedOut();
        return {
          phone: row.phone ? maskValue('phone', row.phone) : null,
          email: row.email || null,
          kinds: (Object.keys(noticeKinds) as NoticeKindCode[])
            .filter((code) => canGet(noticeKinds[code], caller))
            .map((code) => ({
              code,
              title: textOf(noticeKinds[code].title, facts.language),
              note: textOf(noticeKinds[code].note, facts.language),
              mandatory: noticeKinds[code].mandatory === true,
              ...switchesOf(code, row.kept),
            })),
        };
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/:code`,
      title: ['修改通知设置', 'Change a kind of notifications'],
      access: 'staff',
      body: change,
      handle: changeSwitches,
    }),
  ],
});

interface Reach {
  readonly phone: string | null;
  readonly email: string | null;
}
type Kept = Readonly<Record<string, unknown>>;

const REACH = `SELECT s.phone, s.email, p.value AS kept FROM staff s
  LEFT JOIN staff_preference p ON p.staff_id = s.id AND p.key = $2 WHERE s.id = $1`;

/** What is kept may be anything a former release wrote; what is not a switch counts as not chosen. */
function switchesOf(code: NoticeKindCode, kept: Kept | null): Switches {
  const chosen = objectOf(kept)[code];
  const entries = CHANNELS.map((channel) => {
    const value = objectOf(chosen)[channel];
    return [channel, typeof value === 'boolean' ? value : DEFAULT_SWITCHES[channel]] as const;
  });
  const switches = Object.fromEntries(entries) as Record<Channel, boolean>;
  return noticeKinds[code].mandatory ? { ...switches, inApp: true } : switches;
}

function objectOf(value: unknown): Kept {
  return typeof value === 'object' && value !== null ? (value as Kept) : {};
}

async function changeSwitches(call: Call<unknown, z.infer<typeof change>>): Promise<Switches> {
  const { platform, caller, params, body } = call;
  const code = Object.keys(noticeKinds).find((one) => one === params.code) as NoticeKindCode | undefined;
  if (!code || !canGet(noticeKinds[code], caller)) throw notFound();
  if (noticeKinds[code].mandatory && body.inApp === false)
    throw ruleBroken(['此类通知不能关闭', 'These notifications cannot be switched off']);
  return transaction(platform.database.db, async (tx) => {
    // One change of a staff after the other; read afterwards, by a statement that sees what the one before wrote.
    await run(tx, 'SELECT FROM staff WHERE id = $1 FOR NO KEY UPDATE', [caller.staffId]);
    const reach = await runOne<Reach & { kept: Kept | null }>(tx, REACH, [caller.staffId, SWITCHES_KEY]);
    if (!reach) throw loggedOut();
    if (body.sms && !reach.phone)
      throw invalid({ sms: ['请先在基本资料中填写手机号', 'Enter your phone under basics first'] });
    if (body.email && !reach.email)
      throw invalid({ email: ['请先在基本资料中填写邮箱', 'Enter your e-mail under basics first'] });
    const next: Switches = { ...switchesOf(code, reach.kept), ...body };
    await run(
      tx,
      `INSERT INTO staff_preference (staff_id, key, value) VALUES ($1, $2, $3::jsonb)
       ON CONFLICT (staff_id, key) DO UPDATE SET value = excluded.value, version = staff_preference.version + 1, updated_at = now()`,
      [caller.staffId, SWITCHES_KEY, JSON.stringify({ ...objectOf(reach.kept), [code]: next })],
    );
    return next;
  });
}
