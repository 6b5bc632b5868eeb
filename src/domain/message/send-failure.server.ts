import { EffectRefused } from '../../kernel/server/tasks/outbox.ts';

/**
 * A message could not be sent now; a later try may. Its text reaches logs and the outbox, so it says the answer's code and
 * never its words: providers repeat phones, addresses and texts there.
 */
export class SendFailure extends Error {}

/** A message the other side will never take: no repeat helps. */
export class SendRefused extends EffectRefused {}

/** A code of the other side as it may be told: anything else is kept back. */
export function toldCode(code: unknown): string {
  return typeof code === 'string' && /^[A-Za-z][\w.-]{0,79}$/.test(code) ? code : 'unknown answer';
}
