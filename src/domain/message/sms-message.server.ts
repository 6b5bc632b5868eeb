/** An SMS as senders get it. */
export interface SmsToSend {
  /** The same at every try, of this installation alone. */
  readonly number: string;
  readonly phone: string;
  readonly purpose: string;
  readonly text: string;
  readonly params: Readonly<Record<string, string>>;
  /** The template of the purpose with its values in order; undefined where none is set. */
  readonly template: SmsTemplate | undefined;
}

/** A template of a provider, filled. */
export interface SmsTemplate {
  readonly code: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/**
 * The template a purpose is sent by, from entries `purpose=CODE:name+name`; `*` stands for every purpose without an entry
 * of its own, and a test takes the first there is.
 */
export function templateOf(
  entries: readonly string[],
  purpose: string,
  values: Readonly<Record<string, string>>,
): SmsTemplate | undefined {
  const read = entries.map((entry) => /^([^=]+)=([^:]+)(?::(.*))?$/.exec(entry.trim())).filter(Boolean);
  const found =
    read.find((entry) => entry![1] === purpose) ??
    read.find((entry) => entry![1] === '*') ??
    (purpose === 'test' ? read[0] : undefined);
  if (!found) return undefined;
  const names = found[3] ? found[3].split('+') : [];
  return { code: found[2]!, names, values: names.map((name) => values[name] ?? '') };
}
