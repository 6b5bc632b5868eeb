import { z } from 'zod';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import { ref } from '../../../kernel/contract/fields.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  allNodes,
  asks,
  MOST_NODES,
  staffNamed,
  type Candidate,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';

const id = z.number().int().positive();
const key = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const name = z.string().max(40);

const candidate = z.union([
  z.strictObject({ kind: z.literal('staff'), ids: z.array(id).max(100) }),
  z.strictObject({ kind: z.enum(['group', 'station']), id }),
  z.strictObject({ kind: z.literal('department'), id, who: z.enum(['members', 'leader']) }),
  z.strictObject({ kind: z.literal('leader'), levels: z.number().int().min(0).max(5) }),
  z.strictObject({ kind: z.enum(['unitLeader', 'chosen', 'byType']) }),
  z.strictObject({ kind: z.literal('field'), field: z.string().max(60) }),
]);
const candidates = z.array(candidate).max(20);

const fact = z.union([z.number(), z.string().max(200), z.boolean(), z.null()]);
const condition = z
  .array(
    z
      .array(
        z.strictObject({
          field: z.string().max(60),
          operator: z.enum(['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'contains']),
          value: z.union([fact, z.array(fact).max(100)]),
        }),
      )
      .max(20),
  )
  .max(20);

const ask = z.strictObject({
  key,
  type: z.enum(['approve', 'handle']),
  name,
  candidates,
  mode: z.enum(['any', 'order', 'random', 'ratio']),
  ratio: z.number().optional(),
  starterRule: z.enum(['self', 'skip', 'head']),
  nobody: z.enum(['auto_pass', 'auto_refuse', 'staff', 'admin']),
  nobodyStaff: id.optional(),
  onRefuse: z.string().max(40),
  resubmit: z.enum(['all', 'straight']),
  limit: z
    .strictObject({
      hours: z.number(),
      action: z.enum(['remind', 'pass', 'refuse', 'leader']),
      every: z.number().optional(),
      most: z.number().int().optional(),
    })
    .optional(),
  allowed: z.array(z.enum(['transfer', 'addSign', 'return'])).max(3),
  batch: z.boolean(),
  opinionRequired: z.boolean(),
  hidden: z.array(z.string().max(60)).max(50),
});
const copy = z.strictObject({ key, type: z.literal('copy'), name, candidates });
const delay = z.strictObject({
  key,
  type: z.literal('delay'),
  name,
  hours: z.number().max(8760).optional(),
  until: z.string().max(60).optional(),
});
const node: z.ZodType<unknown> = z.lazy(() => z.union([ask, copy, delay, branching]));
const branching = z.strictObject({
  key,
  type: z.enum(['exclusive', 'parallel', 'inclusive']),
  name,
  branches: z
    .array(
      z.strictObject({
        key,
        name,
        otherwise: z.boolean().optional(),
        condition: condition.optional(),
        nodes: z.array(node),
      }),
    )
    .max(20),
});
const nodes = z.array(node);

/** The nodes of a process as they were sent: of the right shape, whatever is still missing in them. Throws 422. */
export function readNodes(sent: unknown): readonly ProcessNode[] {
  const read = nodes.safeParse(sent);
  if (!read.success) throw invalid({ nodes: ['流程节点格式不正确', 'The nodes are not valid'] });
  const tree = read.data as readonly ProcessNode[];
  if (allNodes(tree).length > MOST_NODES)
    throw invalid({ nodes: [`节点不能超过 ${MOST_NODES} 个`, `At most ${MOST_NODES} nodes`] });
  return tree;
}

const PICKERS = {
  group: 'approvalGroup',
  station: 'approvalStation',
  department: 'approvalDepartment',
} as const;

/** Refuses (404) people, groups, posts and departments the caller may not name. */
export async function requireNamed(
  context: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  tree: readonly ProcessNode[],
): Promise<void> {
  const named = allNodes(tree).flatMap((one): readonly Candidate[] =>
    asks(one) || one.type === 'copy' ? one.candidates : [],
  );
  await inReach(context, ref('approvalStaff', ['人员', 'Staff']), staffNamed(tree));
  for (const [kind, target] of Object.entries(PICKERS))
    await inReach(
      context,
      ref(target, ['范围', 'Named']),
      named.flatMap((one) => (one.kind === kind && 'id' in one ? [one.id] : [])),
    );
}
