import type { Label } from '../contract/label.ts';
import { ApiError } from './api-client.ts';

/** A question to the staff, answered by two buttons. */
export interface AskSpec {
  readonly title: Label | string;
  readonly text?: Label | string;
  readonly confirm: Label;
  readonly cancel: Label;
  readonly danger?: boolean;
  /** Takes the question away unanswered, which counts as no. */
  readonly signal?: AbortSignal;
}

/** How the frame talks to the staff. */
export interface Feedback {
  /** A quiet line at the top, read out by screen readers. */
  readonly say: (tone: 'success' | 'warning', text: string, seconds: number) => void;
  /** Shows an error nobody expected and keeps it in the error log. */
  readonly fault: (error: unknown) => void;
  /** Answers true when the staff confirms. */
  readonly ask: (question: AskSpec) => Promise<boolean>;
}

let feedback: Feedback | undefined;

/** Called once by the frame. */
export function installFeedback(installed: Feedback): void {
  feedback = installed;
}

const line = (tone: 'success' | 'warning') => (text: string, seconds: number) =>
  feedback?.say(tone, text, seconds);

/** Quiet lines about what was done or cannot be done. */
export const message = { success: line('success'), warning: line('warning') };

/**
 * Last place of an error a screen caught. Failed calls were shown by the error catalogue before they were thrown and what
 * was given up is no error; everything else is shown and logged, so that nothing ends without a word.
 */
export function tellFault(error: unknown): void {
  if (error instanceof ApiError || (error as Error | undefined)?.name === 'AbortError') return;
  feedback?.fault(error);
}

/** Asks the staff a question above everything else; true when confirmed. */
export function ask(question: AskSpec): Promise<boolean> {
  return feedback?.ask(question) ?? Promise.resolve(false);
}
