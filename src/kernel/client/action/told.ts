import { fill, type Label } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { currentLanguage } from '../language.ts';
import { words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';

/** What is shown of something the server tells once. */
export interface Told {
  readonly title: string;
  readonly text: string;
  readonly about?: string;
  readonly note?: string;
}

/**
 * A text the server tells once with the answer of an action: its result itself, or in it a first password, a program's secret
 * or another `toldOnce`, which it keeps nowhere in clear.
 */
export function toldOf(
  resource: ResourceSpec,
  label: Label,
  row: RowData | undefined,
  answer: unknown,
  text: (label: Label) => string,
): Told | undefined {
  // A field of the row that is called so is no secret of the action.
  const result =
    'result' in resource.fields ? undefined : (answer as { result?: unknown } | null | undefined)?.result;
  const given = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  // With its account a password is the first of a staff; others, as of the service app, are only told once.
  const first = given.initialPassword ?? (typeof given.account === 'string' ? given.password : undefined);
  const other = given.clientSecret ?? given.toldOnce ?? given.password;
  const value = first ?? other ?? result;
  if (typeof value !== 'string' || value === '') return undefined;
  if (first === undefined)
    return {
      title: text(label),
      text: value,
      ...(other === undefined ? {} : { note: text(words.shownOnceNote) }),
    };
  const who = row ?? ((answer ?? undefined) as RowData | undefined);
  // Several staff may have one name; the account is what the password belongs to.
  const account = given.account ?? who?.account;
  return {
    title: text(
      fill(words.firstPassword, { who: who ? ` ${rowTitle(resource, who, currentLanguage())} ` : '' }),
    ),
    text: value,
    note: text(words.firstPasswordNote),
    ...(typeof account === 'string'
      ? { about: `${text(words.account)}${text(['：', ': '])}${account}` }
      : {}),
  };
}
