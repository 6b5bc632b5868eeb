import { z } from 'zod';
import { ref } from '../../../kernel/contract/fields.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import { titlesOf } from '../../../domain/approval/choose-process.server.ts';
import { predict, type Predicted } from '../../../domain/approval/predict.server.ts';
import {
  allNodes,
  asks,
  isBranching,
  type ApprovalField,
  type Facts,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';
import { readNodes, requireNamed } from './process-nodes.server.ts';
import { problemsOf, requireDeclared } from './process-publish.server.ts';

const ROOT = '/jinmao/web/approvalProcess/design';
const DESIGNERS = { anyOf: ['approvalProcess:btn_add', 'approvalProcess:btn_edit'] };
/** Objects offered for a trial. */
const SAMPLES = 30;

const id = z.string().regex(/^\d{1,15}$/);
const bizType = z.string().min(1).max(60);

const trialBody = z.strictObject({
  bizType,
  nodes: z.unknown(),
  admin: id.optional(),
  repeatPolicy: z.enum(['never', 'only_once', 'only_consecutive']),
  titleZh: z.string().max(120).optional(),
  titleEn: z.string().max(120).optional(),
  summaryFields: z.array(z.string().max(60)).max(4).optional(),
  starter: id,
  project: id.optional(),
  /** A real object, among those `samples` offers; else values of the fields. */
  object: id.optional(),
  facts: z
    .record(z.string().max(60), z.union([z.number(), z.string().max(200), z.boolean(), z.null()]))
    .optional(),
});

/** What the designer asks while it draws: business types with their fields, objects to try on, checks, the trial run. */
export const trialEndpoints = [
  endpoint({
    method: 'GET',
    path: `${ROOT}/kinds`,
    title: ['可设计的业务类型', 'Business types to design for'],
    access: { code: 'approvalProcess' },
    handle: (call) => Promise.resolve(kindsOf(call.platform)),
  }),
  endpoint({
    method: 'GET',
    path: `${ROOT}/samples`,
    title: ['可试运行的单据', 'Objects to try a process on'],
    access: DESIGNERS,
    query: z.strictObject({ bizType }),
    handle: (call) => samplesOf(call, requireDeclared(call.platform, call.query.bizType)),
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/check`,
    title: ['检查流程', 'Check a process'],
    access: DESIGNERS,
    body: z.strictObject({ bizType, nodes: z.unknown(), admin: id.optional() }),
    handle: async (call) => {
      const { body, platform } = call;
      const problems = await problemsOf(
        platform.database.db,
        requireDeclared(platform, body.bizType),
        readNodes(body.nodes),
        body.admin === undefined ? null : Number(body.admin),
      );
      return problems.map((one) => ({ node: one.node, text: word(call, one.text) }));
    },
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/trial`,
    title: ['试运行流程', 'Try a process'],
    access: DESIGNERS,
    body: trialBody,
    handle: (call) => tryOut(call),
  }),
];

const word = (call: Pick<Call, 'facts'>, label: readonly [string, string]) =>
  label[call.facts.language === 'zh' ? 0 : 1];

function kindsOf(platform: Pick<Platform, 'registrations'>) {
  return platform.registrations
    .flatMap((one) => one.approvals ?? [])
    .map((kind) => ({
      bizType: kind.kind,
      label: kind.label,
      fields: kind.fields ?? [],
      moves: kind.moves ?? false,
      hasObjects: kind.samples !== undefined && kind.facts !== undefined,
    }));
}

async function samplesOf(call: Pick<Call, 'platform' | 'caller'>, kind: ApprovalKind) {
  const found = (await kind.samples?.(call.platform.database.db, call.caller)) ?? [];
  return found.slice(0, SAMPLES).map((one) => ({ id: String(one.id), title: one.title }));
}

/**
 * What would happen if a staff handed something in now and everybody agreed. Runs in a transaction that may only read, so
 * that nothing can be stored. Source: group 17, trial run.
 */
async function tryOut(call: Call<unknown, z.infer<typeof trialBody>>) {
  const { platform, caller, facts: request, body } = call;
  const kind = requireDeclared(platform, body.bizType);
  const nodes = readNodes(body.nodes);
  const projectId = body.project === undefined ? null : Number(body.project);
  if (projectId !== null) requireProjectsInReach(caller, [projectId]);
  const object = await objectOf(call, kind);
  return transaction(platform.database.db, async (tx) => {
    await run(tx, 'SET TRANSACTION READ ONLY');
    const context = { tx, platform, caller, facts: request };
    await requireNamed(context, nodes);
    await inReach(context, ref('approvalStaff', ['发起人', 'Starter']), [
      Number(body.starter),
      ...(body.admin === undefined ? [] : [Number(body.admin)]),
    ]);
    const starter = await runOne<{ tenant_id: number; name: string }>(
      tx,
      'SELECT tenant_id, name FROM staff WHERE id = $1',
      [Number(body.starter)],
    );
    const facts = object
      ? ((await kind.facts?.(tx, object.id)) ?? {})
      : sampleFacts(kind.fields ?? [], body.facts ?? {});
    const predicted = await predict(
      tx,
      platform,
      nodes,
      {
        kind: kind.kind,
        bizId: object?.id ?? 0,
        tenantId: starter!.tenant_id,
        projectId,
        starterId: Number(body.starter),
        subjectId: null,
        facts,
        chosen: {},
      },
      { adminId: body.admin === undefined ? null : Number(body.admin), at: new Date() },
    );
    const titles = titlesOf(
      kind,
      {
        id: 0,
        titleZh: body.titleZh ?? '',
        titleEn: body.titleEn ?? '',
        summaryFields: body.summaryFields ?? [],
      },
      {
        title: object
          ? [object.title, object.title]
          : [`${kind.label[0]}（示例）`, `${kind.label[1]} (sample)`],
        summary: [],
      },
      facts,
    );
    const repeated = repeatedPeople(nodes, predicted, body.repeatPolicy);
    return {
      title: word(call, titles.title),
      summary: titles.summary.map((one) => ({ label: word(call, one.label), value: word(call, one.value) })),
      nodes: predicted.map((one) => ({
        node: one.node,
        name: one.name,
        type: one.type,
        need: one.need,
        dueAt: one.dueAt === null ? null : isoInstant(one.dueAt),
        automatic: one.automatic ?? null,
        branches: branchNames(nodes, one),
        people: one.people.map((person) => ({
          id: person.id,
          name: person.name,
          reason: word(call, person.reason),
          repeated: repeated.has(`${one.node} ${person.id}`),
        })),
      })),
    };
  });
}

/** The real object of a trial: one of those that are offered to the caller, or none. */
async function objectOf(call: Call<unknown, z.infer<typeof trialBody>>, kind: ApprovalKind) {
  if (call.body.object === undefined) return undefined;
  const found = (await samplesOf(call, kind)).find((one) => one.id === call.body.object);
  if (!found) throw notFound();
  return { id: Number(found.id), title: found.title };
}

/** Sample values by field; each of its own kind. Throws 422. */
function sampleFacts(fields: readonly ApprovalField[], given: Facts): Facts {
  const facts: Record<string, Facts[string]> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = fields.find((one) => one.name === name);
    const wanted =
      field?.kind === 'boolean'
        ? 'boolean'
        : field && ['money', 'number', 'staff'].includes(field.kind)
          ? 'number'
          : 'string';
    if (!field || (value !== null && typeof value !== wanted))
      throw invalid({ [`facts.${name}`]: ['示例值不正确', 'The sample value is not valid'] });
    facts[name] = value;
  }
  return facts;
}

function branchNames(nodes: readonly ProcessNode[], one: Predicted) {
  const node = allNodes(nodes).find((each) => each.key === one.node);
  if (!node || !isBranching(node)) return [];
  return node.branches
    .filter((branch) => one.branches.includes(branch.key))
    .map((branch) => ({ key: branch.key, name: branch.name }));
}

/**
 * Who would agree without being asked again, as `node staff`. Sure only after nodes of one person or of all in order: of
 * several anybody may have been the one.
 */
function repeatedPeople(
  nodes: readonly ProcessNode[],
  predicted: readonly Predicted[],
  policy: 'never' | 'only_once' | 'only_consecutive',
): ReadonlySet<string> {
  const found = new Set<string>();
  if (policy === 'never') return found;
  const agreed: string[][] = [];
  for (const one of predicted) {
    if (one.people.length === 0 || (one.type !== 'approve' && one.type !== 'handle')) continue;
    if (one.type === 'approve') {
      const before = policy === 'only_consecutive' ? (agreed.at(-1) ?? []) : agreed.flat();
      for (const person of one.people) if (before.includes(person.id)) found.add(`${one.node} ${person.id}`);
    }
    const node = allNodes(nodes).find((each) => each.key === one.node)!;
    const sure = one.type === 'approve' && asks(node) && (one.people.length === 1 || node.mode === 'order');
    agreed.push(sure ? one.people.map((person) => person.id) : []);
  }
  return found;
}
