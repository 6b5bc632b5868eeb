import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  addSecret,
  endSecret,
  liveSecrets,
  removeSecret,
} from '../../../domain/oauth/client-secret.server.ts';
import type { SecretPart } from './oauth-client.contract.ts';

/** Work of the action that makes a secret: shown once as the result, kept as a hash alone. */
export async function replaceSecret(context: ActionContext, clientId: string): Promise<ActionResult> {
  const expiresAt = futureOf(context, false);
  const overlapDays =
    context.input.oldEnds === 'now' ? 0 : await context.platform.settings.number('auth.secret_overlap_days');
  const clientSecret = await addSecret(context.tx, clientId, {
    expiresAt,
    overlapDays,
    createdBy: staffIdOf(context.caller),
  });
  return {
    changes: [{ field: 'secret', before: null, after: `••••${clientSecret.slice(-4)}` }],
    result: { clientSecret },
  };
}

/** Work of the action that takes a secret away. */
export async function removeSecretOf(context: ActionContext, clientId: string): Promise<ActionResult> {
  const hint = await removeSecret(context.tx, clientId, secretOf(context));
  return { changes: [{ field: 'secret', before: `••••${hint}`, after: null }] };
}

/** Work of the action that sets when a secret ends. */
export async function endSecretOf(context: ActionContext, clientId: string): Promise<ActionResult> {
  const hint = await endSecret(context.tx, clientId, secretOf(context), futureOf(context, true));
  return { remark: `••••${hint} → ${String(context.input.expiresAt)}` };
}

/** Live secrets as a detail shows them: never themselves. */
export async function secretListOf(db: Executor, clientId: string): Promise<SecretPart[]> {
  return (await liveSecrets(db, clientId)).map((one) => ({
    id: String(one.id),
    hint: one.hint,
    createdAt: isoInstant(one.created_at),
    expiresAt: one.expires_at && isoInstant(one.expires_at),
    lastUsedAt: one.last_used_at && isoInstant(one.last_used_at),
  }));
}

function secretOf({ input }: ActionContext): number {
  const id = Number(input.secret);
  if (!Number.isSafeInteger(id)) throw invalid({ secret: ['请选择密钥', 'Please choose a secret'] });
  return id;
}

/** The time in the input, which must lie ahead. */
function futureOf({ input }: ActionContext, required: boolean): Date | null {
  if (!input.expiresAt) {
    if (required) throw invalid({ expiresAt: ['此项必填', 'This field is required'] });
    return null;
  }
  const at = new Date(input.expiresAt as string);
  if (!(at.getTime() > Date.now()))
    throw invalid({ expiresAt: ['到期时间必须晚于现在', 'The end must lie ahead'] });
  return at;
}
