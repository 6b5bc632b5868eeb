import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { checkInput } from '../../../kernel/contract/input.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import { exportText } from '../../../kernel/server/resource/export-rows.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { optionTitles } from '../../../kernel/server/resource/option-titles.ts';
import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import {
  pointsProblem,
  pointsSettingsOf,
  readOverrides,
  type PointsOverride,
} from '../../../domain/trade-money/points-settings.rules.ts';
import type { PointsSettings } from '../../../domain/trade-money/quote.rules.ts';
import { mallPoints, OVERRIDE_FIELDS } from './mall-points.contract.ts';
import { simulate, trialProblems, type Trial } from './points-simulation.rules.ts';

const NO_PROJECT: Label = ['项目不存在', 'The project does not exist'];
/** Refusal of a rate that does not go with a rule the caller is not shown. */
const UNSEEN_RULE: Label = [
  '与您范围外项目的规则不能同时成立，请由能看到全部项目的人员修改',
  'It does not go with rules of projects outside your scope. Somebody who sees all projects has to change it',
];
const yuan = z.string().regex(/^\d{1,9}(\.\d{1,2})?$/);
const trialBody = z.strictObject({
  /** Settings as the form shows them, saved or not; absent ones are the stored values. */
  values: z.record(z.string(), z.unknown()).default({}),
  lines: z
    .array(
      z.strictObject({
        name: z.string().max(60).default(''),
        merchant: z.string().min(1).max(20).default('A'),
        price: yuan,
        qty: z.number().int().min(1).max(9_999),
        pointsAllowed: z.boolean().default(true),
      }),
    )
    .min(1)
    .max(20),
  coupons: z
    .array(
      z.strictObject({
        merchant: z.string().min(1).max(20).nullable().default(null),
        kind: z.enum(['cash', 'discount']),
        face: yuan.default('0'),
        rate: z.number().int().min(1).max(99).default(99),
        maxDiscount: yuan.nullable().default(null),
        threshold: yuan.default('0'),
      }),
    )
    .max(4)
    .default([]),
  balance: z.number().int().min(0).max(100_000_000),
  points: z.number().int().min(0).max(100_000_000).nullable().default(null),
  /** Project whose own rules count. */
  project: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullable()
    .default(null),
});

/** Settings of points in the mall, with a simulator that runs the very engine orders are priced by. */
export const registration = bindSettings(mallPoints, {
  check: async (values, _tx, call, stored): Promise<Record<string, Label>> => {
    const problem = pointsProblem(values.mall_points_per_yuan, values.mall_points_step);
    if (problem) return { mall_points_step: problem };
    const base = { perYuan: values.mall_points_per_yuan, step: values.mall_points_step };
    const { overrides: rules, ...own } = split(values.mall_points_project_overrides, call.caller);
    const seen = readOverrides(rules, base);
    if (seen.problem) return { mall_points_project_overrides: seen.problem };
    const { overrides, problem: bad } = readOverrides([...seen.overrides, ...own.unseen], base);
    if (bad) return { mall_points_step: UNSEEN_RULE };
    const kept = new Set(projectsOf(stored.mall_points_project_overrides));
    const added = projectsOf(overrides).filter((project) => !kept.has(project));
    const offered = await optionTitles(call, 'project', added);
    return added.every((project) => offered.has(project))
      ? {}
      : { mall_points_project_overrides: NO_PROJECT };
  },
  complete: (values, stored, caller) => {
    const sent = values.mall_points_project_overrides;
    if (sent === undefined) return values;
    // The same words whether there is such a project, and whether it has rules.
    if (split(sent, caller).unseen.length > 0) throw invalid({ mall_points_project_overrides: NO_PROJECT });
    const { unseen } = split(stored.mall_points_project_overrides, caller);
    if (unseen.length === 0 || !(sent === null || Array.isArray(sent))) return values;
    return { ...values, mall_points_project_overrides: [...listOf(sent), ...unseen] };
  },
  present: async (values, call) => {
    const overrides = values.mall_points_project_overrides;
    if (overrides === undefined) return {};
    const rules = split(overrides, call.caller).overrides;
    const names = await optionTitles(call, 'project', projectsOf(rules));
    return {
      mall_points_project_overrides: listOf(rules).map((one) => {
        const { project } = one as PointsOverride;
        return { ...(one as PointsOverride), projectName: names.get(project) ?? `#${project}` };
      }),
    };
  },
  wording: (name, value, language) =>
    name === 'mall_points_project_overrides'
      ? listOf(value)
          .map((one) => overrideText(one as PointsOverride & { projectName: string }, language))
          .join('；') || '–'
      : undefined,
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/settings/mallPoints/simulate',
      title: ['积分试算', 'Simulate points'],
      access: { code: elementCode(mallPoints, 'btn_simulate') },
      body: trialBody,
      handle: async (call) => {
        const checked = checkInput(mallPoints.fields, Object.keys(mallPoints.fields), call.body.values, {
          partial: true,
        });
        if (Object.keys(checked.problems).length > 0) throw invalid(checked.problems);
        const { values: _values, ...asked } = call.body;
        const base = await pointsSettings(call.platform, checked.values);
        const overrides =
          checked.values.mall_points_project_overrides ??
          split(await storedOverrides(call.platform.database.db), call.caller).overrides;
        const read = readOverrides(overrides, base);
        if (read.problem) throw invalid({ mall_points_project_overrides: read.problem });
        const { project, ...trialOf } = asked;
        const settings = project ? pointsSettingsOf(base, read.overrides, project) : base;
        const trial: Trial = { ...trialOf, settings };
        const problems = trialProblems(trial);
        if (Object.keys(problems).length > 0) throw invalid(problems);
        const answer = simulate(trial);
        const { language } = call.facts;
        return {
          ...answer,
          steps: answer.steps.map((step) => ({
            ...step,
            label: textOf(step.label, language),
            formula: textOf(step.formula, language),
          })),
          notices: answer.notices.map((notice) => textOf(notice, language)),
        };
      },
    }),
  ],
});

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function projectsOf(overrides: unknown): string[] {
  return listOf(overrides).map((one) => (one as Partial<PointsOverride> | null)?.project ?? '');
}

/**
 * Rules of projects the caller works in, and the others: it neither reads, nor changes, nor loses those. What is no list
 * is left as it is for the check to say so.
 */
function split(
  overrides: unknown,
  caller: Caller,
): { readonly overrides: unknown; readonly unseen: readonly unknown[] } {
  if (caller.projectIds === null || !Array.isArray(overrides)) return { overrides, unseen: [] };
  const ids = projectsOf(overrides).map(Number);
  const held = new Set(projectIdsInReach(caller, ids));
  return {
    overrides: overrides.filter((_one, index) => held.has(ids[index]!)),
    unseen: overrides.filter((_one, index) => !held.has(ids[index]!)),
  };
}

/** Cleared rules are stored as null. */
async function storedOverrides(db: Executor): Promise<unknown> {
  const key = mallPoints.keys.mall_points_project_overrides;
  const row = await runOne<{ value: unknown }>(db, 'SELECT value FROM setting WHERE key = $1', [key]);
  return row?.value;
}

/** One project's rules in words, for the history. */
function overrideText(one: PointsOverride & { readonly projectName: string }, language: Language): string {
  const parts = OVERRIDE_FIELDS.flatMap(([name, field]) => {
    const value = one[name];
    if (value === undefined) return [];
    const label = textOf(mallPoints.fields[field]!.label, language);
    return [`${label} ${exportText(mallPoints.fields[field]!, value, language)}`];
  });
  return language === 'en'
    ? `${one.projectName}: ${parts.join(', ')}`
    : `${one.projectName}：${parts.join('、')}`;
}

/** The stored points settings with unsaved values on top. */
async function pointsSettings(
  platform: Platform,
  values: Readonly<Record<string, unknown>>,
): Promise<PointsSettings> {
  const { settings } = platform;
  const number = async (name: string) =>
    typeof values[name] === 'number' ? values[name] : settings.number(mallPoints.keys[name]!);
  const flag = async (name: string) =>
    typeof values[name] === 'boolean' ? values[name] : settings.flag(mallPoints.keys[name]!);
  return {
    enabled: await flag('mall_points_enabled'),
    perYuan: await number('mall_points_per_yuan'),
    step: await number('mall_points_step'),
    maxPercent: await number('mall_points_max_percent'),
    maxPerOrder: await number('mall_points_max_per_order'),
    withCoupon: await flag('mall_points_with_coupon'),
    withCoin: await flag('mall_points_with_coin'),
  };
}
