import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { runOne, type Executor } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { requireProjectsInReach } from '../permission/project-reach.server.ts';
import { estimateOf, membersOf, type Estimate } from './audience.server.ts';
import { capsOf } from './dispatch.server.ts';
import {
  rendered,
  smsSegments,
  smsText,
  valuesFor,
  type Content,
  type SendEstimate,
} from './message.rules.ts';
import { readPhoneList } from './phones.rules.ts';
import { contentOfTemplate, freeContent, needsReview } from './send-binding.server.ts';

const idList = z.array(idText).max(500).default([]);
const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .nullish();
/** A form that is not saved yet, as far as its audience goes. */
export const estimateBody = z.strictObject({
  template: idText.nullish(),
  title: z.string().max(100).default(''),
  body: z.string().max(500).default(''),
  values: z
    .array(z.object({ name: z.string().max(30), value: z.string().max(200) }))
    .max(20)
    .default([]),
  channels: z.array(z.number().int().min(1).max(4)).max(4),
  audience: z.enum(['conditions', 'phones']).default('conditions'),
  joinBy: z.enum(['all', 'any']).default('all'),
  projects: idList,
  buildings: idList,
  identities: idList,
  grades: idList,
  groups: idList,
  registeredFrom: day,
  registeredTo: day,
  activeFrom: day,
  activeTo: day,
  classes: idList,
  withinDays: z.number().int().min(1).max(365).nullish(),
  coupon: idText.nullish(),
  minPoints: z.number().int().min(1).nullish(),
  phones: z.string().max(150_000).default(''),
  excludedProjects: idList,
  excludedIdentities: idList,
  excludedPhones: z.string().max(150_000).default(''),
  urgent: z.boolean().default(false),
});

/** Whom a form would reach that is not saved. */
export async function estimateDraft(
  platform: Platform,
  caller: Caller,
  body: z.output<typeof estimateBody>,
): Promise<SendEstimate> {
  requireProjectsInReach(caller, [...body.projects, ...body.excludedProjects]);
  const phones = readPhoneList(body.phones);
  const excluded = readPhoneList(body.excludedPhones);
  const problems: Record<string, Label> = {};
  if ('problem' in phones) problems.phones = phones.problem;
  if ('problem' in excluded) problems.excludedPhones = excluded.problem;
  if ('problem' in phones || 'problem' in excluded) throw invalid(problems);
  const { db } = platform.database;
  const template =
    body.template === undefined || body.template === null
      ? undefined
      : await runOne<{ category: string }>(
          db,
          `SELECT category FROM message_template t WHERE id = $1 AND (t.tenant_id = $2 OR t.tenant_id IN (SELECT id FROM tenant WHERE kind = 3) OR $3)`,
          [body.template, caller.tenantId, caller.tenantKind === 3],
        );
  const row = {
    template_id: template ? body.template : null,
    variable_values: body.values,
    title: body.title,
    body: body.body,
    category: template?.category ?? 'marketing',
    channel_codes: body.channels.length > 0 ? body.channels : [1],
    audience: body.audience,
    join_by: body.joinBy,
    project_ids: body.projects,
    building_ids: body.buildings,
    identity_codes: body.identities,
    grade_ids: body.grades,
    interest_group_ids: body.groups,
    registered_from: body.registeredFrom ?? null,
    registered_to: body.registeredTo ?? null,
    active_from: body.activeFrom ?? null,
    active_to: body.activeTo ?? null,
    class_ids: body.classes,
    within_days: body.withinDays ?? null,
    coupon_id: body.coupon ?? null,
    min_points: body.minPoints ?? null,
    phones: phones.phones,
    phone_doubles: phones.doubles,
    excluded_project_ids: body.excludedProjects,
    excluded_identity_codes: body.excludedIdentities,
    excluded_phones: excluded.phones,
    urgent: body.urgent,
    reach_ids: caller.projectIds,
    merchant_id: caller.tenantKind === 2 ? caller.tenantId : null,
  };
  return estimateWords(platform, await estimateOf(db, { draft: row }, await capsOf(platform)), row);
}

/** An estimate as staff see it: costs, whether it is reviewed, and what ten people would read. */
export async function estimateWords(
  platform: Platform,
  estimate: Estimate,
  row: Readonly<Record<string, unknown>>,
): Promise<SendEstimate> {
  const { db } = platform.database;
  const content = await textsOf(db, row);
  const people = new Map(
    (
      await membersOf(
        db,
        estimate.sample.map((one) => one.id),
      )
    ).map((one) => [one.id, one]),
  );
  const text = content.smsBody || content.pushBody || content.inAppTitle;
  const samples = estimate.sample.map((one) => {
    const person = people.get(one.id)!;
    const values = valuesFor(content, { nickname: person.nickname, project: person.project });
    return { phone: one.phone.replace(/^(.{3}).*(.{4})$/, '$1****$2'), text: rendered(text, values) };
  });
  const longest = Math.max(
    0,
    ...samples.map((one) => smsSegments(smsText(one.text, content.smsSign, String(row.category)))),
  );
  const sms = estimate.channels['2'] ?? 0;
  const bySms = (row.channel_codes as unknown[]).map(Number).includes(2) && content.smsBody !== '';
  const fen = await platform.settings.number('sms.fen_per_segment');
  const skipped = Object.entries(estimate.skipped).map(([reason, count]) => ({ reason, people: count }));
  return {
    total: estimate.total,
    reachable: estimate.reachable,
    skippedTotal: skipped.reduce((sum, one) => sum + one.people, 0),
    skipped,
    channels: Object.entries(estimate.channels)
      .map(([channel, count]) => ({ channel: Number(channel), people: count }))
      .filter((one) => (row.channel_codes as unknown[]).map(Number).includes(one.channel)),
    unknown: estimate.unknown,
    segments: bySms ? longest : 0,
    smsCost: bySms ? yuanFromFen(sms * longest * fen) : null,
    review: needsReview(
      { ...row },
      estimate.total,
      await platform.settings.number('message.review.audience'),
    ),
    sample: samples,
  };
}

async function textsOf(db: Executor, row: Readonly<Record<string, unknown>>): Promise<Content> {
  if (row.content) return row.content as Content;
  if (!row.template_id) return freeContent(String(row.title ?? ''), String(row.body ?? ''));
  const template = await runOne<Record<string, unknown>>(db, 'SELECT * FROM message_template WHERE id = $1', [
    row.template_id,
  ]);
  return contentOfTemplate(template ?? {}, row.variable_values);
}
