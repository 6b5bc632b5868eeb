import {
  FIRST_RANGES,
  rangesProblem,
  type PointsRange,
} from '../../../domain/points-task/points-ranges.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { pointsRange } from './points-range.contract.ts';

const given = (value: unknown): readonly PointsRange[] =>
  Array.isArray(value) && value.length > 0 ? (value as readonly PointsRange[]) : FIRST_RANGES;

/** Ranges of points. */
export const registration = bindSettings(pointsRange, {
  check: (values): Record<string, Label> => {
    const problem = rangesProblem(given(values.points_screen_ranges));
    return problem ? { points_screen_ranges: problem } : {};
  },
  // What is kept is these two numbers, whatever else was sent.
  complete: (values) => {
    const sent = values.points_screen_ranges;
    if (!Array.isArray(sent)) return values;
    return {
      ...values,
      points_screen_ranges: sent.map((one: Partial<PointsRange> | null) => ({
        start: one?.start,
        end: one?.end,
      })),
    };
  },
  present: (values) =>
    Promise.resolve(
      'points_screen_ranges' in values ? { points_screen_ranges: given(values.points_screen_ranges) } : {},
    ),
  wording: (name, value) =>
    name === 'points_screen_ranges'
      ? given(value)
          .map((one) => `${one.start}–${one.end === -1 ? '∞' : one.end}`)
          .join('，')
      : undefined,
});
