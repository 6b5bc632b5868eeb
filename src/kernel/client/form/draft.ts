import type { Label } from '../../contract/label.ts';
import { useSession } from '../session.ts';
import type { FormValues } from './form-values.rules.ts';

/** An unsubmitted form as the browser keeps it. */
export interface Draft {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly values: FormValues;
  /** Row version the draft was made on. */
  readonly version: number | null;
  /** What the form is about and where it is opened; absent in drafts of earlier releases. */
  readonly place?: {
    readonly title: Label;
    /** Number or name of the row; null for a new one. */
    readonly row: Label | null;
    readonly path: string;
  };
}

/** Days a draft is kept. Source: ground rule 7. */
export const DRAFT_DAYS = 7;

const PREFIX = 'draft:';

/**
 * The name under which a form of the signed-in staff is kept. A form takes it when it opens: the last input is written
 * while the page goes away, when a session that was ended no longer says whose it was.
 */
export function draftKey(form: string): string {
  return `${PREFIX}${useSession.getState().info?.username ?? ''}:${form}`;
}

/** The kept draft under a key, or undefined. */
export function readDraft(key: string, now = Date.now()): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null;
    if (!draft) return undefined;
    if (isFresh(draft, now)) return draft;
    localStorage.removeItem(key);
  } catch {
    // Storage may be off or the text damaged: there is simply no draft.
  }
  return undefined;
}

let isOver = false;

/** Forgets the drafts of the signed-in staff, and keeps none of the input that is still on the page that is left. */
export function forgetDrafts(): void {
  isOver = true;
  try {
    const own = draftKey('');
    for (const key of Object.keys(localStorage)) if (key.startsWith(own)) localStorage.removeItem(key);
  } catch {
    // See above.
  }
}

/** Keeps a draft; a full or forbidden storage is no reason to disturb. */
export function writeDraft(key: string, draft: Draft): void {
  if (isOver) return;
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // See above.
  }
}

/** Forgets the draft under a key. */
export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // See above.
  }
}

/** Removes every draft that is older than a week. */
export function sweepDrafts(now = Date.now()): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue;
      const draft = JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null;
      if (!draft || !isFresh(draft, now)) localStorage.removeItem(key);
    }
  } catch {
    // See above.
  }
}

/** True while a draft may still be offered. */
export function isFresh(draft: Pick<Draft, 'at'>, now: number): boolean {
  return now - draft.at < DRAFT_DAYS * 86_400_000;
}
