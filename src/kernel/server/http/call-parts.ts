import { z } from 'zod';
import { forbidden, invalid, notFound } from './errors.ts';
import { holds, type Caller } from '../people/caller.ts';

/** An id in a body or query, which is text on the wire; a number behind it. */
export const idText = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** Reads a path id. Throws 404 for what cannot be one. */
export function idOf(text: string | undefined): number {
  if (!text || !/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** The version a body carries, or undefined. Throws 422 for what is no version. */
export function versionOf(body: unknown): number | undefined {
  const version = (body as { version?: unknown } | null)?.version;
  if (version === undefined || version === null) return undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version))
    throw invalid({ version: ['版本号不正确', 'The version is not valid'] });
  return version;
}

/** Refuses unless the caller holds the code; for handlers that decide by input. */
export function requireCode(caller: Caller, code: string): void {
  if (!holds(caller, code)) throw forbidden();
}
