import { seenContracts } from '../../../domain/contract/contract-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { positionOccupancy, POSITION_MENU } from './position.contract.ts';
import { holdExpiry } from './hold-expiry.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { LIVE, requireUntil } from './position.server.ts';

const OVER: Label = ['已释放或已结束', 'It is released or over'];
const BY_CONTRACT: Label = ['由合同决定', 'Set by its contract'];
/** Held by resource managers: releases holds of others, too. */
const MANAGER = `${POSITION_MENU}:btn_repair`;

const mayRelease = (row: DbRow, caller: Caller): Label | undefined => {
  // Holds without an end are those of contracts under review.
  if (row.kind === 'lease' || (row.kind === 'hold' && !row.expiresAt)) return BY_CONTRACT;
  if (row.live !== true) return OVER;
  if (caller.elements.has(MANAGER)) return undefined;
  return row.kind === 'hold' && Number(row.holderId) === caller.staffId
    ? undefined
    : ['只能释放自己的预留', 'You may release your own holds only'];
};

/** What the board's occupancies share. */
export const occupancyBinding = {
  table: 'position_occupancy',
  from: `position_occupancy t JOIN position q ON q.id = t.position_id LEFT JOIN client c ON c.id = t.client_id LEFT JOIN contract x ON x.id = t.contract_id LEFT JOIN staff s ON s.id = t.holder_id`,
  scope: residentScope('q.project_id', 'q.created_by'),
  columns: {
    position: { id: 't.position_id', title: 'q.code' },
    from: 't.from_on',
    to: 't.to_on',
    within: 'NULL::date',
    holder: { id: 't.holder_id', title: 's.name' },
    client: 'coalesce(c.name, x.party_text)',
    contract: { id: 't.contract_id', title: 'x.code' },
    standing: `(CASE WHEN t.released_at IS NOT NULL OR t.expires_at <= now() THEN 'released' WHEN t.to_on < ${TODAY} THEN 'over' WHEN t.from_on > ${TODAY} THEN 'coming' ELSE 'running' END)`,
  },
  filters: {
    within: (value, parameters) => {
      const [low = '', high = ''] = value.split('~');
      return `t.period && daterange(${parameters.bind(low || null)}::date, ${parameters.bind(high || null)}::date, '[]')`;
    },
  },
  // A contract is named to those who see it in a list of contracts.
  present: async (rows, db, caller) => {
    const of = (row: DbRow) => Number(row.contract);
    const seen = await seenContracts(db, caller, rows.filter((row) => row.contract).map(of));
    for (const row of rows) if (row.contract && !seen.has(of(row))) row.contract = null;
  },
  extra: {
    holderId: 't.holder_id',
    live: `(t.to_on >= ${TODAY} AND ${LIVE.replaceAll('o.', 't.')})`,
    prolonged: 't.prolonged',
  },
  ruleReads: ['kind', 'holderId', 'live', 'prolonged', 'expiresAt'],
  rowRules: {
    release: mayRelease,
    prolong: (row, caller) =>
      row.kind !== 'hold' || !row.expiresAt
        ? ['只有预留可以延期', 'Only holds are prolonged']
        : row.live !== true
          ? OVER
          : row.prolonged === true
            ? ['已延期过一次', 'It was prolonged once already']
            : Number(row.holderId) === caller.staffId
              ? undefined
              : ['只能延期自己的预留', 'You may prolong your own holds only'],
  },
  handlers: {
    release,
    prolong,
    expire: async ({ row }) => ({
      set: { released_at: row.expires_at, release_reason: '到期', expired: true },
    }),
  },
} satisfies Binding<string>;

/** Who has positions when. */
const bound: BoundResource = bindResource(positionOccupancy, {
  ...occupancyBinding,
  also: { jobs: [holdExpiry(() => bound)] },
});

export const registration: Registration = bound.registration;

/** Frees a hold or a repair. The days a repair had already stay in the books, the rest is free. */
async function release({ tx, row, input }: ActionContext): Promise<ActionResult> {
  const why = String(input.reason ?? '');
  const days = (await runOne<{ begun: boolean; yesterday: string }>(
    tx,
    `SELECT $1::date < ${TODAY} AS begun, (${TODAY} - 1)::text AS yesterday`,
    [row.from_on],
  ))!;
  return {
    set:
      row.kind === 'repair' && days.begun
        ? { to_on: days.yesterday, release_reason: why }
        : { released_at: new Date(), release_reason: why },
    remark: why,
  };
}

/** Moves the end of an own hold, once; the longest hold is counted from today. */
async function prolong({ tx, row, input, platform }: ActionContext): Promise<ActionResult> {
  const until = String(input.until);
  const days = await runOne<{ today: string; old: string; project: number }>(
    tx,
    `SELECT ${TODAY}::text AS today, ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')::date::text AS old,
            (SELECT project_id FROM position WHERE id = $2) AS project`,
    [row.expires_at, row.position_id],
  );
  if (until <= days!.old) throw invalid({ until: ['须晚于原来的日期', 'After the day it ends now'] });
  await requireUntil(
    tx,
    until,
    days!.today,
    await platform.settings.numberIn(tx, 'position.hold_max_days', { projectId: days!.project }),
  );
  return {
    set: { expires_at: new Date(`${until}T23:59:59+08:00`), prolonged: true, warned_at: null },
    remark: until,
  };
}
