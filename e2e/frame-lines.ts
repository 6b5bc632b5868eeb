import { test } from 'vitest';

/** The product's languages. */
export const LANGUAGES = ['zh', 'en'] as const;
/** One of them. */
export type Language = (typeof LANGUAGES)[number];

/**
 * Languages in which a journey runs: one of the two, chosen by its name, or both with `npm test -- --all`. That what it
 * reads is said in the other language too is proven by frame-texts.test.ts, and how that looks by walk.ts.
 */
export function languagesOf(name: string): readonly Language[] {
  return process.env.ALL === '1' ? LANGUAGES : [shareOf(name, LANGUAGES)];
}

/** One of some choices, always the same for a name. */
export function shareOf<T>(name: string, choices: readonly T[]): T {
  let hash = 2_166_136_261;
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  return choices[(hash >>> 13) % choices.length]!;
}

/** The text of a language. */
export const say = (language: Language, zh: string, en: string): string => (language === 'zh' ? zh : en);

/**
 * The lines the page frame must show, by the number the specification of the frame gives them: the file that holds
 * the journey and what the journey is called. frame-lines.test.ts checks that none is missing. What a line says of every
 * screen is shown by the walk over all routes (walk.ts), in `WALKED`.
 */
export const MUST_SHOW: Readonly<Record<number, readonly [file: string, shows: string]>> = {
  1: ['frame', 'wrong password and wrong code say so; new image, code empty and focused'],
  2: ['frame', 'right password: cookie, local storage, home; /login then leads home'],
  3: ['frame-release', 'first sign-in of admin: only the password dialog, then the typed route'],
  4: ['frame-release', 'rules of the new password, each with its text'],
  5: ['frame-session', 'six wrong passwords make the account wait, after a restart too'],
  6: ['frame', 'no right: 401 naming the menu; nothing there: 404; signed out: /login'],
  7: ['frame-calls', 'badge of refunds: 99+, 3, none; asked once per load'],
  8: ['frame', 'two order details keep two notes; refreshing one clears only that one'],
  9: ['frame', 'closing tabs: the active one, others, all'],
  10: ['frame', 'the 13th tab drops the oldest clean view, never unsaved input'],
  11: ['frame', 'closing unsaved input asks; leaving keeps a draft that is offered'],
  12: ['frame', 'a pinned tab survives close all and a reload, in its order'],
  13: ['frame-exports', 'export of 50,000 rows: popover, polls every 5 s, file, polling ends'],
  14: ['frame-calls', 'an export list of status 500: one alert, no further polling'],
  15: ['frame-exports', 'the file of another staff is not there'],
  16: ['frame', 'the language changes on a half-filled form, typed values stay'],
  17: ['frame-look', 'theme colour everywhere and after reload; dark without white panels'],
  18: ['frame', 'a screen that throws is listed, counted and reported; other tabs work'],
  19: ['frame', 'palette: menu by initials, record by number, nothing outside the scope'],
  20: ['frame-session', 'lock: the server refuses, the right password brings all back, five wrong end it'],
  21: ['frame-session', 'signing out in one window takes the other to /login within a second'],
  22: ['frame-session', 'a menu taken away: call, sidebar and tab follow within a second'],
  23: ['frame-session', 'a disabled staff sees Forbidden with the message, then /login'],
  24: ['frame-session', 'twenty parallel calls with an ended session: one message, one reload'],
  25: ['frame-release', 'a new release: banner, reload keeps tabs and draft'],
  26: ['frame-calls', 'to-dos and figures equal the lists they open'],
  27: ['frame-calls', 'figures stay inside the own projects, another project answers 404'],
  28: ['frame-calls', 'a view shared with a group shows own rows and leaves a hidden column out'],
  29: ['frame-calls', 'phone masked, revealed, masked; the 61st reveal of the hour is refused'],
  30: ['frame-look', 'keyboard only, narrow windows, accessibility'],
};

/** Lines of which the walk over all routes shows a part. */
export const WALKED: Readonly<Record<number, string>> = {
  17: 'no white panel on any screen in the dark appearance',
  30: 'every screen in windows of 768 and 320 px, and without accessibility problems',
};

/**
 * A journey of a line, in one of the languages or both. `part` names it when a line has several; journeys of one `share` run
 * in the same language.
 */
export function mustShow(
  line: number,
  journey: (language: Language) => Promise<void>,
  options: { readonly part?: string; readonly timeout?: number; readonly share?: string } = {},
): void {
  const [file, shows] = MUST_SHOW[line]!;
  const name = [shows, options.part].filter(Boolean).join('; ');
  test.each(languagesOf(options.share ?? `${file} ${name}`))(
    `${line}: ${name} (%s)`,
    journey,
    options.timeout,
  );
}
