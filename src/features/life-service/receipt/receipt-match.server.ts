import { allocate } from '../../../domain/receivable/receivable.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { RECEIVABLE_SCOPE } from '../receivable/request-approval.server.ts';

/** What is known of money that came in; the amount is fen. */
export interface Incoming {
  readonly note: string;
  readonly payerName: string;
  readonly amount: number;
  /** The payer where one is recorded; else whoever the code or the name says. */
  readonly payerId?: number;
}

/** Where it goes by all that is known. */
export interface Match {
  readonly match: 'exact' | 'likely' | 'none';
  readonly note: string;
  readonly payerId?: number;
  readonly parts: readonly { readonly id: number; readonly amount: number }[];
}

interface Line {
  readonly id: number;
  readonly code: string;
  readonly source: string;
  readonly payer: number;
  readonly dueOn: string;
  readonly balance: number;
}

/**
 * Proposes where money goes: a line whose code, or whose order's or contract's, stands in note or account name is exact, so is a
 * line or the sum of all lines of one payer of that name that equals the amount; the same name alone is likely. Source: group 19,
 * accountsConfirm, matching.
 */
export async function findMatch(db: Executor, caller: Caller, what: Incoming): Promise<Match> {
  const said = `${what.note} ${what.payerName}`.toUpperCase();
  const codes = [...new Set(said.match(/(?:AR|CT|SO)[A-Z]*\d{4,}/g) ?? [])];
  const parameters = new Parameters();
  const seen = placeCondition(caller, RECEIVABLE_SCOPE, parameters);
  const who =
    what.payerId === undefined
      ? `(upper(t.code) = ANY(${parameters.bind(codes)}::text[]) OR upper(t.source_code) = ANY(${parameters.bind(codes)}::text[])
          OR (y.name = ${parameters.bind(what.payerName.trim())} AND y.name <> ''))`
      : `t.payer_id = ${parameters.bind(what.payerId)}`;
  const lines = await run<Line>(
    db,
    `SELECT t.id, t.code, t.source_code AS source, t.payer_id AS payer, t.due_on::text AS "dueOn", t.principal + t.charges - t.received AS balance
       FROM receivable t JOIN payer y ON y.id = t.payer_id WHERE t.state IN ('open', 'part') AND ${who} AND ${seen}
      ORDER BY t.due_on, t.code LIMIT 500`,
    parameters.values,
  );
  const named = lines.filter(
    (line) => codes.includes(line.code.toUpperCase()) || codes.includes(line.source.toUpperCase()),
  );
  // Codes of several payers say nothing of one of them.
  if (named.length > 0 && new Set(named.map((line) => line.payer)).size === 1)
    return chosen('exact', named.map((line) => line.code).join('、'), named, what.amount);
  const payers = new Set(lines.map((line) => line.payer));
  if (lines.length === 0 || payers.size > 1) return { match: 'none', note: '', parts: [] };
  const same = lines.filter((line) => line.balance === what.amount);
  if (same.length === 1) return chosen('exact', `余额相同 ${same[0]!.code}`, same, what.amount);
  if (lines.reduce((sum, line) => sum + line.balance, 0) === what.amount)
    return chosen('exact', `合计相同（${lines.length} 笔）`, lines, what.amount);
  return chosen('likely', `同一付款方（${lines.length} 笔）`, lines, what.amount);
}

function chosen(match: 'exact' | 'likely', note: string, lines: readonly Line[], amount: number): Match {
  return { match, note, payerId: lines[0]!.payer, parts: allocate(amount, lines).parts };
}
