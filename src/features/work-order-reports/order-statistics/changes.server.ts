import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import type { Report } from '../../../kernel/contract/report.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { readReportRequest } from '../../../kernel/server/report/bind.ts';
import {
  frozenCondition,
  presentInstant,
  type Seen,
} from '../../../domain/work-order-report/as-of.server.ts';
import { METRICS, type Metric } from '../../../domain/work-order-report/figures.rules.ts';
import { METRIC_WHERE, REPORT_FROM, type Family } from '../../../domain/work-order-report/figures.server.ts';
import { SLA_STATES, WORK_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import { COUNT_COLUMNS, type FrozenChanges } from './order-statistics.contract.ts';
import { heatOf, reportConditions } from './statistics.server.ts';

/** Most orders that are listed one by one. */
const MOST = 500;
const when = (column: string) => `to_char(${column} AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI')`;

const CATEGORY_EN = `coalesce(nullif(c.name_en, ''), c.name)`;

/** What may change about an order, as text. */
const FACTS: Readonly<Record<string, { readonly label: Label; readonly sql: string }>> = {
  state: { label: ['状态', 'State'], sql: 't.status' },
  category: { label: ['分类', 'Category'], sql: 'c.name' },
  handler: { label: ['处理人', 'Handler'], sql: 'h.name' },
  accepted: { label: ['接单时间', 'Accepted'], sql: when('t.accepted_at') },
  started: { label: ['开始时间', 'Started'], sql: when('t.started_at') },
  finished: { label: ['完成时间', 'Finished'], sql: when('t.finished_at') },
  response: { label: ['响应时效', 'Response SLA'], sql: 't.response_state' },
  solve: { label: ['完成时效', 'Resolution SLA'], sql: 't.solve_state' },
  returned: { label: ['退单', 'Returned'], sql: 't.returned_count::text' },
  transfers: { label: ['转单', 'Transferred'], sql: 't.transfer_count::text' },
  reopened: { label: ['重开', 'Reopened'], sql: 't.reopen_count::text' },
  score: { label: ['评分', 'Score'], sql: 't.score_overall::text' },
};
type Facts = Readonly<Record<string, string | null>>;
type Marks = Readonly<Record<string, boolean>>;

interface Pair {
  readonly id: number;
  readonly code: string;
  readonly title: string;
  readonly was: Facts | null;
  readonly is: Facts | null;
  readonly was_marks: Marks | null;
  readonly is_marks: Marks | null;
}

/**
 * What differs between the frozen months of a period and how their orders stand now: each figure's difference, and the orders behind
 * one of them with the fields that changed. Source: group 11, Shared rules (Frozen months).
 */
export function changesEndpoint(contract: Report, family: Family): Endpoint {
  return endpoint({
    method: 'GET',
    path: `/jinmao/web/workOrderReport/${family}/changes`,
    title: ['较封版的变化', 'Changes since frozen'],
    access: { code: `${contract.menu}:btn_freezeView` },
    rawQuery: true,
    handle: (call) => changesOf(call, contract, family),
  });
}

async function changesOf(call: Call, contract: Report, family: Family): Promise<FrozenChanges> {
  const { metric, ...query } = call.query as Readonly<Record<string, unknown>>;
  if (metric !== undefined && !(COUNT_COLUMNS[family] as readonly unknown[]).includes(metric))
    throw invalid({ metric: ['没有此选项', 'There is no such choice'] });
  const request = readReportRequest(contract, query);
  const { db } = call.platform.replica;
  const seen: Required<Seen> = {
    token: await presentInstant(db),
    frozen: request.parameters.basis === 'finished' ? 'finished' : 'created',
  };
  const { language } = call.facts;
  const values = new Parameters();
  const side = (which: 'frozen' | 'current') =>
    `SELECT t.id, t.code, t.title, jsonb_build_object(${Object.entries(FACTS)
      .map(([key, fact]) => `'${key}', ${key === 'category' && language === 'en' ? CATEGORY_EN : fact.sql}`)
      .join(', ')}) AS facts, jsonb_build_object(${COUNT_COLUMNS[family]
      .map((key) => `'${key}', ${METRIC_WHERE[key as Metric]}`)
      .join(', ')}) AS marks FROM ${REPORT_FROM} LEFT JOIN work_category c ON c.id = t.category_id WHERE ${[
      ...reportConditions(call.caller, contract.menu, family, request, request.from, request.to, values),
      frozenCondition(seen, family, which, values),
    ].join(' AND ')}`;
  const pairs = await run<Pair>(
    db,
    `SELECT coalesce(i.id, w.id) AS id, coalesce(i.code, w.code) AS code, coalesce(i.title, w.title) AS title,
            w.facts AS was, i.facts AS is, w.marks AS was_marks, i.marks AS is_marks
       FROM (${side('frozen')}) w FULL JOIN (${side('current')}) i ON i.id = w.id
      WHERE w.facts IS DISTINCT FROM i.facts OR w.marks IS DISTINCT FROM i.marks ORDER BY 1`,
    values.values,
  );
  const differs = (pair: Pair, key: string) =>
    Number(pair.is_marks?.[key] ?? false) - Number(pair.was_marks?.[key] ?? false);
  const figures = COUNT_COLUMNS[family].flatMap((key) => {
    const changed = pairs.filter((pair) => differs(pair, key) !== 0);
    const by = changed.reduce((sum, pair) => sum + differs(pair, key), 0);
    return changed.length === 0
      ? []
      : [{ metric: key, label: textOf(METRICS[key as Metric].label, language), by, orders: changed.length }];
  });
  const shown =
    metric === undefined ? [] : pairs.filter((pair) => differs(pair, String(metric)) !== 0).slice(0, MOST);
  return {
    figures,
    rows: shown.map((pair) => ({
      id: String(pair.id),
      code: pair.code,
      title: pair.title,
      change: pair.was === null ? 'added' : pair.is === null ? 'removed' : 'changed',
      fields:
        pair.was === null || pair.is === null
          ? []
          : Object.entries(FACTS)
              .filter(([key]) => pair.was![key] !== pair.is![key])
              .map(([key, fact]) => ({
                label: textOf(fact.label, language),
                from: valueOf(key, pair.was![key], language),
                to: valueOf(key, pair.is![key], language),
              })),
    })),
  };
}

function valueOf(key: string, value: string | null | undefined, language: 'zh' | 'en'): string {
  if (value === null || value === undefined) return '–';
  const words: Readonly<Record<string, { readonly label: Label }>> =
    key === 'state' ? WORK_STATES : key === 'response' || key === 'solve' ? SLA_STATES : {};
  return words[value] ? textOf(words[value].label, language) : value;
}

const CYCLES = ['weekly', 'monthly'] as const;

/** What the caller subscribed to, and changing it. Source: group 11, btn_subscribe. */
export function subscriptionEndpoints(contract: Report, family: Family): Endpoint[] {
  const path = `/jinmao/web/workOrderReport/${family}/subscription`;
  const access = { code: `${contract.menu}:btn_subscribe` };
  const held = async ({ platform, caller }: Pick<Call, 'platform' | 'caller'>) => {
    const rows = await run<{ cycle: (typeof CYCLES)[number] }>(
      platform.database.db,
      'SELECT cycle FROM report_subscription WHERE staff_id = $1 AND family = $2 ORDER BY 1',
      [caller.staffId, family],
    );
    return { cycles: rows.map((row) => row.cycle) };
  };
  return [
    endpoint({ method: 'GET', path, title: ['报表订阅', 'Subscriptions'], access, handle: held }),
    endpoint({
      method: 'POST',
      path,
      title: ['订阅报表', 'Subscribe'],
      access,
      body: z.strictObject({ cycles: z.array(z.enum(CYCLES)).max(2) }),
      handle: async (call) => {
        await transaction(call.platform.database.db, async (tx) => {
          await run(tx, 'DELETE FROM report_subscription WHERE staff_id = $1 AND family = $2', [
            call.caller.staffId,
            family,
          ]);
          await run(
            tx,
            'INSERT INTO report_subscription (staff_id, family, cycle) SELECT $1, $2, c FROM unnest($3::text[]) c ON CONFLICT DO NOTHING',
            [call.caller.staffId, family, call.body.cycles],
          );
        });
        return held(call);
      },
    }),
  ];
}

/** When orders come in, for the heat map. */
export function heatEndpoint(contract: Report, family: Family): Endpoint {
  return endpoint({
    method: 'GET',
    path: `/jinmao/web/workOrderReport/${family}/heat`,
    title: ['创建时段热力图', 'When orders come in'],
    access: { code: contract.menu },
    rawQuery: true,
    handle: ({ caller, platform, query }) =>
      heatOf(
        platform.replica.db,
        caller,
        contract.menu,
        family,
        readReportRequest(contract, query as Readonly<Record<string, unknown>>),
      ),
  });
}
