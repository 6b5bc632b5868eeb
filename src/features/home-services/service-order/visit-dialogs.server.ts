import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, invalid } from '../../../kernel/server/http/errors.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { candidates } from '../../../domain/home-service/appointment/visit-person.server.ts';
import {
  clock,
  serviceTerms,
  spanOf,
  timesBetween,
} from '../../../domain/home-service/appointment/visit-place.server.ts';
import {
  openVisitOf,
  type Acting,
  type Visit,
} from '../../../domain/home-service/appointment/visit-record.server.ts';

/** Who acts in an action of the engine. */
export function actingOf({ tx, platform, caller }: ActionContext): Acting {
  return { tx, platform, caller };
}

/** An id that an action was given as text. Throws 422. */
export function idInput(name: string, value: unknown): number {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value))
    throw invalid({ [name]: ['请选择', 'Please choose'] });
  return Number(value);
}

/** The same where nothing may be chosen. */
export function optionalId(name: string, value: unknown): number | undefined {
  return value === null || value === undefined || value === '' ? undefined : idInput(name, value);
}

/**
 * The reason of an overbooking with the right to it: the element of the caller's own menu. Throws 403 for a reason without the
 * right, so that nobody passes the capacity by the API.
 */
export function overbookOf(
  context: Pick<ActionContext, 'caller' | 'input'>,
): { readonly reason: string } | undefined {
  const reason = (context.input.overbookReason as string | null | undefined)?.trim();
  if (!reason) return undefined;
  if (!holds(context.caller, 'mm_appointment:btn_overbook')) throw forbidden();
  return { reason };
}

/** An instant of an input. */
export function instantOf(value: unknown): Date {
  const at = value instanceof Date ? value : new Date(String(value));
  if (Number.isNaN(at.getTime())) throw invalid({ startsAt: ['时间不正确', 'The time is not valid'] });
  return at;
}

/** What the dialogs of a visit ask before they act: people with what speaks against them, and free times. */
export function dialogEndpoints(
  root: string,
  menu: string,
  bound: () => BoundResource,
  visitOf: (db: Executor, id: number) => Promise<Visit | undefined>,
): readonly Endpoint[] {
  const anyOf = ['btn_assign', 'btn_reassign', 'btn_reschedule'].map((one) => `${menu}:${one}`);
  return [
    endpoint({
      method: 'GET',
      path: `${root}/:id/candidates`,
      title: ['可派人员', 'People for a visit'],
      access: { anyOf },
      query: z.strictObject({ startsAt: z.iso.datetime({ offset: true }).optional() }),
      handle: async (call) => {
        const db = call.platform.database.db;
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const visit = await visitOf(db, id);
        const order = visit ?? (await lineOf(db, id));
        const terms = await serviceTerms(db, call.platform, order.product_id);
        const at = call.query.startsAt ? new Date(call.query.startsAt) : (visit?.starts_at ?? new Date());
        const people = await candidates(db, {
          terms,
          projectId: order.project_id,
          ...spanOf(terms, at),
          except: visit?.id ?? null,
        });
        return people.map((one) => ({
          id: String(one.id),
          name: one.name,
          phone: maskValue('phone', one.phone),
          load: one.load,
          current: one.id === visit?.person_id,
          refusal: one.refusal ? textOf(one.refusal, call.facts.language) : null,
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/times`,
      title: ['可约时间', 'Times for a visit'],
      access: { anyOf },
      handle: async (call) => {
        const db = call.platform.database.db;
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const visit = await visitOf(db, id);
        const order = visit ?? (await lineOf(db, id));
        const terms = await serviceTerms(db, call.platform, order.product_id);
        const now = await clock(db);
        const to = new Date(now.getTime() + terms.horizonDays * 86_400_000);
        const times = await timesBetween(
          db,
          { productId: order.product_id, projectId: order.project_id },
          now,
          to,
        );
        return {
          service: terms.name,
          minutes: terms.durationMin,
          current: visit ? isoInstant(visit.starts_at) : null,
          canOverbook: holds(call.caller, 'mm_appointment:btn_overbook'),
          times: times.map((time) => ({
            at: isoInstant(time.startsAt),
            left: Math.max(0, time.capacity - time.taken),
          })),
        };
      },
    }),
  ];
}

/** The open visit of an order, for {@link dialogEndpoints}. */
export const visitOfOrderId = (db: Executor, orderId: number) => openVisitOf(db, orderId);

async function lineOf(db: Executor, orderId: number): Promise<{ product_id: number; project_id: number }> {
  return (await runOne<{ product_id: number; project_id: number }>(
    db,
    `SELECT l.product_id, o.project_id FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE o.id = $1 ORDER BY l.line_no LIMIT 1`,
    [orderId],
  ))!;
}
