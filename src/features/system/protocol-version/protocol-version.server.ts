import { fill, type Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { BODY_BYTES, protocolVersion } from './protocol-version.contract.ts';

const SCHEDULED: Label = ['已有待生效版本', 'A version is already scheduled'];
const DRAFTED: Label = ['该协议已有草稿', 'The agreement has a draft already'];

/** Members active in the last 30 days, of whose acceptance the share speaks. */
const ACTIVE = `m.last_active_on > (now() AT TIME ZONE 'Asia/Shanghai')::date - 30`;

const bound: BoundResource = bindResource(protocolVersion, {
  table: 'protocol_version',
  columns: {
    edition: `'1.' || t.edition`,
    accepted: '(SELECT count(*)::int FROM protocol_acceptance a WHERE a.protocol_version_id = t.id)',
    acceptedShare: `CASE WHEN t.app = 'owner' AND t.state IN ('published', 'archived') THEN
      round(100.0 * (SELECT count(*) FROM protocol_acceptance a JOIN member m ON m.id = a.member_id WHERE a.protocol_version_id = t.id AND ${ACTIVE})
        / nullif((SELECT count(*) FROM member m WHERE ${ACTIVE}), 0), 2)::text END`,
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  search: `lower(t.title || ' ' || t.title_en)`,
  unique: {
    protocol_version_draft: DRAFTED,
    protocol_version_edition: DRAFTED,
    protocol_version_scheduled: SCHEDULED,
  },
  before: [checkText],
  handlers: { publish, takeEffect: replaceCurrent, revise },
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'protocol.effective',
        title: ['应用协议到期生效', 'Scheduled agreements take effect'],
        cron: '* * * * *',
        action: 'takeEffect',
        when: 't.effective_at <= now()',
      }),
    ],
  },
});

/** App agreements. */
export const registration = bound.registration;

/** New texts fit and wait for a time to come; a new agreement gets the next number of its kind. */
async function checkText({ action, input, columns, tx }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  for (const name of ['body', 'bodyEn'] as const)
    if (Buffer.byteLength(String(input[name] ?? '')) > BODY_BYTES)
      problems[name] = ['最多 200 KB', 'At most 200 KB'];
  // What is left of a text of forbidden tags only is nothing.
  if (input.body !== undefined && String(input.body ?? '').trim() === '')
    problems.body = ['此项必填', 'This field is required'];
  if (input.effectiveAt && !(await isToCome(tx, input.effectiveAt)))
    problems.effectiveAt = ['生效时间须晚于现在', 'The effective time must lie ahead'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (action === 'create') columns.edition = await nextEdition(tx, String(input.type), String(input.app));
}

async function isToCome(tx: Tx, at: unknown): Promise<boolean> {
  const row = await runOne<{ ahead: boolean }>(tx, 'SELECT $1::timestamptz > now() AS ahead', [at]);
  return row!.ahead;
}

/** One version of an agreement takes effect, or waits for it, at a time. */
async function inTurn(tx: Tx, type: unknown, app: unknown): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('protocol_version'), hashtext($1))`, [
    `${String(type)}/${String(app)}`,
  ]);
}

/** The next number of an agreement. Who asks at the same time is refused by the index of its one draft. */
async function nextEdition(tx: Tx, type: string, app: string): Promise<number> {
  const row = await runOne<{ next: number }>(
    tx,
    'SELECT coalesce(max(edition) + 1, 0) AS next FROM protocol_version WHERE type = $1 AND app = $2',
    [type, app],
  );
  return row!.next;
}

async function publish(context: ActionContext): Promise<ActionResult> {
  const { tx, row } = context;
  await inTurn(tx, row.type, row.app);
  const waiting = await runOne(
    tx,
    `SELECT FROM protocol_version WHERE type = $1 AND app = $2 AND state = 'scheduled'`,
    [row.type, row.app],
  );
  // An urgent version would be replaced by the waiting, older one: that one is taken back first.
  if (waiting) throw ruleBroken(SCHEDULED);
  if (row.effective_at) {
    if (!(await isToCome(tx, row.effective_at)))
      throw ruleBroken([
        '生效时间已过，请修改后再发布',
        'The effective time has passed, please change it before publishing',
      ]);
    return { to: 'scheduled' };
  }
  await replaceCurrent(context);
  const now = await runOne<{ at: Date }>(tx, 'SELECT now() AS at');
  return { to: 'published', set: { effective_at: now!.at } };
}

/** Archives what is in force. */
async function replaceCurrent({ tx, platform, row }: ActionContext): Promise<void> {
  await inTurn(tx, row.type, row.app);
  const current = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM protocol_version WHERE type = $1 AND app = $2 AND state = 'published'`,
    [row.type, row.app],
  );
  if (current) await bound.actAsSystem(tx, platform, 'archive', current.id);
}

/** A draft with the next number and the text of this version. */
async function revise({ tx, row, caller, facts }: ActionContext): Promise<ActionResult> {
  const edition = await nextEdition(tx, String(row.type), String(row.app));
  const staff = staffIdOf(caller);
  const values = {
    type: row.type,
    app: row.app,
    edition,
    title: row.title,
    title_en: row.title_en,
    body: row.body,
    body_en: row.body_en,
    reaccept: row.reaccept,
    change_note: `修订自 1.${String(row.edition)}`,
    state: 'draft',
  };
  const id = await insertRow(tx, 'protocol_version', { ...values, created_by: staff, updated_by: staff });
  await writeTimeline(tx, {
    entity: protocolVersion.name,
    entityId: id,
    caller,
    action: 'create',
    label: fill(['由 {version} 修订', 'Revised from {version}'], { version: `1.${String(row.edition)}` }),
    to: 'draft',
  });
  await writeAudit(tx, {
    caller,
    facts,
    menu: protocolVersion.menu,
    action: 'create',
    entity: protocolVersion.name,
    entityId: id,
    after: values,
  });
  return { remark: `→ 1.${edition}`, result: { id: String(id), edition: `1.${edition}` } };
}
