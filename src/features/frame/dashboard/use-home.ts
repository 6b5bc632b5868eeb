import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { HomeSet } from './home-layout.rules.ts';

/** Periods the home page offers. */
export const periods = {
  today: ['今日', 'Today'],
  '7days': ['近7天', '7 days'],
  '30days': ['近30天', '30 days'],
  month: ['本月', 'This month'],
} as const satisfies Readonly<Record<string, Label>>;

/** One of them. */
export type Period = keyof typeof periods;

/** Project and period the figures and charts are asked for. */
export interface HomeRange {
  /** Empty: all projects in scope. */
  readonly projectId: string;
  readonly period: Period;
}

/** A figure as the server sends it. */
export interface Figure {
  readonly code: string;
  readonly label: string;
  readonly formula: string;
  readonly kind: 'money' | 'integer';
  readonly set: HomeSet;
  readonly value: string | null;
  readonly previous: string | null;
  readonly spark: readonly number[];
  readonly route: string;
  readonly failed?: boolean;
}

/** A chart the staff may see. */
export interface HomeChart {
  readonly code: string;
  readonly title: Label;
  /** What is counted when, where the title does not say it. */
  readonly rule?: Label;
  readonly kind: 'ring' | 'bar' | 'line' | 'column';
  readonly set: HomeSet;
  readonly measures: Readonly<Record<string, Label>>;
}

const FRESH_MS = 30_000;

/** The figures of a period; only those whose menu the staff holds. */
export function useFigures(range: HomeRange, language: string) {
  return useQuery({
    queryKey: ['home', 'figures', range, language],
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ readonly asOf: string; readonly figures: readonly Figure[] }>('GET', '/api/admin/home/figures', {
        query: { ...range },
        signal,
        quiet: true,
      }),
  });
}

/** Which charts there are. */
export function useCharts() {
  return useQuery({
    queryKey: ['home', 'charts'],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<readonly HomeChart[]>('GET', '/api/admin/home/charts', { signal, quiet: true }),
  });
}

/** The points of a chart, each with the list it opens. */
export function useChart(code: string, range: HomeRange, language: string) {
  return useQuery({
    queryKey: ['home', 'chart', code, range, language],
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ readonly asOf: string; readonly points: readonly (ChartPoint & { readonly route: string })[] }>(
        'GET',
        `/api/admin/home/charts/${encodeURIComponent(code)}`,
        { query: { ...range }, signal, quiet: true },
      ),
  });
}

/** The sign-in before this one, or null. */
export function useLastSignIn() {
  return useQuery({
    queryKey: ['profile', 'lastSignIn'],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<{ readonly at: string; readonly address: string; readonly isNew: boolean } | null>(
        'GET',
        '/api/admin/profile/lastSignIn',
        { signal, quiet: true },
      ),
  });
}
