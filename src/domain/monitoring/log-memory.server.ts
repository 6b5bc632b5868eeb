import { withoutPersonal } from '../../kernel/server/http/log-value.rules.ts';

/** A line of the log as the detail of an instance shows it. */
export interface LogLine {
  readonly at: string;
  readonly level: string;
  readonly text: string;
  readonly traceId: string;
}

const KEPT = 2_000;

/** Keeps the last lines of this process's log, personal data masked. */
export function createLogMemory(): {
  keep(level: string, event: Readonly<Record<string, unknown>>): void;
  lines(most?: number): readonly LogLine[];
} {
  const lines: LogLine[] = [];
  return {
    keep: (level, event) => {
      const { message, traceId, ...rest } = event;
      const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
      lines.push({
        at: new Date().toISOString(),
        level,
        text: withoutPersonal(`${String(message ?? '')}${more}`).slice(0, 2_000),
        traceId: String(traceId ?? ''),
      });
      if (lines.length > KEPT) lines.shift();
    },
    lines: (most = KEPT) => lines.slice(-most).reverse(),
  };
}
