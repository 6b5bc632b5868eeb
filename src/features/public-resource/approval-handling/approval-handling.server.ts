import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import {
  defineRegistration,
  endpoint,
  type Call,
  type Endpoint,
} from '../../../kernel/server/registration.ts';
import { approvalKind } from '../../../domain/approval/approval-kind.server.ts';
import { handInAgain, NOT_ANY_MORE, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import { lockInstance, readInstance, type Instance } from '../../../domain/approval/flow.server.ts';
import { sightOf } from '../../../domain/approval/instance-sight.server.ts';
import { actOn } from '../../../domain/approval/task-commands.server.ts';
import { administers, seenInstances } from '../approval-centre/centre-rows.server.ts';
import { approvalHandling } from './approval-handling.contract.ts';
import { allowedActs } from './allowed-acts.server.ts';
import { graphOf } from './approval-graph.server.ts';
import { roundsOf } from './approval-rounds.server.ts';

const ROOT = '/admin/approval/instance/:id';

/** The page of one approval, open to everybody it concerns whatever menus they hold. */
export const registration = defineRegistration({
  contract: approvalHandling,
  menus: [approvalHandling.menu],
  endpoints: [
    endpoint({
      method: 'GET',
      path: ROOT,
      title: approvalHandling.title,
      access: 'staff',
      handle: async (call) => view(call, await seen(call)),
    }),
    starterAct('withdraw', ['撤回', 'Withdraw'], (tx, call, instance) =>
      withdrawApproval(tx, call.platform, { ...instance, caller: call.caller, facts: call.facts }),
    ),
    starterAct('resubmit', ['重新提交', 'Hand in again'], (tx, call, instance) =>
      handInAgain(tx, call.platform, instance, { caller: call.caller, facts: call.facts }),
    ),
  ],
});

/** What only the starter may do. Others learn nothing of it. */
function starterAct(
  name: string,
  title: Label,
  work: (tx: Tx, call: Call, instance: Instance) => Promise<void>,
): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${ROOT}/${name}`,
    title,
    access: 'staff',
    body: z.strictObject({}),
    handle: async (call) => {
      const id = idOf(call.params.id);
      const found = await readInstance(call.platform.database.db, id);
      if (found?.starterId !== call.caller.staffId) throw notFound();
      await actOn(call.platform, found.kind, async (tx) => {
        await work(tx, call, (await lockInstance(tx, id))!);
        await writeAudit(tx, {
          caller: call.caller,
          facts: call.facts,
          menu: approvalHandling.menu,
          action: name,
          entity: 'approvalInstance',
          entityId: id,
        });
      });
      return true;
    },
  });
}

type Seen = {
  readonly instance: Instance;
  readonly hidden: ReadonlySet<string> | undefined;
};

/** The approval the call names, as the caller sees it. Throws 404 where it concerns somebody else. */
async function seen(call: Call): Promise<Seen> {
  const { db } = call.platform.database;
  const instance = await readInstance(db, idOf(call.params.id));
  if (!instance) throw notFound();
  const sight = await sightOf(
    db,
    call.platform,
    call.caller,
    instance,
    await looksAfter(db, call, instance.id),
  );
  if (sight.kind === 'none') throw notFound();
  return { instance, hidden: sight.kind === 'full' ? sight.hidden : undefined };
}

async function looksAfter(db: Executor, { caller }: Call, id: number): Promise<boolean> {
  if (!administers(caller)) return false;
  const parameters = new Parameters();
  const place = parameters.bind(id);
  const condition = seenInstances(caller, parameters);
  const row = await runOne(
    db,
    `SELECT 1 FROM approval_instance t WHERE t.id = ${place} AND ${condition}`,
    parameters.values,
  );
  return row !== undefined;
}

interface Head {
  readonly summary: readonly { readonly label: Label; readonly value: Label }[];
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly starter: string;
  readonly project: string | null;
}

async function view(call: Call, { instance, hidden }: Seen) {
  const { platform, caller, facts } = call;
  const { db } = platform.database;
  const at = facts.language === 'zh' ? 0 : 1;
  const kind = approvalKind(platform, instance.kind);
  const common = {
    id: String(instance.id),
    code: instance.code,
    kind: instance.kind,
    kindName: kind.label[at],
  };
  if (hidden === undefined) return { ...common, barred: true, note: NOT_ANY_MORE[at] };
  const head = (await runOne<Head>(
    db,
    `SELECT i.summary, i.started_at AS "startedAt", i.ended_at AS "endedAt", s.name AS starter, p.name AS project
       FROM approval_instance i JOIN staff s ON s.id = i.starter_id LEFT JOIN project p ON p.id = i.project_id WHERE i.id = $1`,
    [instance.id],
  ))!;
  const hiddenLabels = new Set(
    (kind.fields ?? []).filter((field) => hidden.has(field.name)).map((field) => field.label[0]),
  );
  const sections = ((await kind.snapshot?.(db, instance.bizId)) ?? []).map((part) => ({
    title: part.title[at],
    values: part.values.flatMap((one) => {
      if (hidden.has(one.field)) hiddenLabels.add(one.label[0]);
      return hidden.has(one.field)
        ? []
        : [
            {
              label: one.label[at],
              value: one.value[at],
              ...(one.pictures ? { pictures: one.pictures } : {}),
            },
          ];
    }),
  }));
  const now = new Date();
  return {
    ...common,
    barred: false,
    title: [instance.titleZh, instance.titleEn || instance.titleZh][at]!,
    state: instance.state,
    round: instance.round,
    awaitsStarter: instance.awaitsStarter,
    starter: head.starter,
    project: head.project,
    startedAt: businessTimeText(head.startedAt),
    endedAt: head.endedAt && businessTimeText(head.endedAt),
    route: kind.route(instance.bizId),
    summary: head.summary
      .filter((one) => !hiddenLabels.has(one.label[0]))
      .map((one) => ({ label: one.label[at], value: one.value[at] })),
    sections,
    graph: await graphOf(db, platform, instance, now, at),
    rounds: await roundsOf(db, platform, caller, instance.id, at),
    acts: await allowedActs(db, platform, caller, instance, now, at),
  };
}
