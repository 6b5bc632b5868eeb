import { definePage } from '../../kernel/contract/page.ts';

/** The property orders behind a figure, for every staff inside its own projects. Source: group 11, /operReport/ProOperDetail. */
export const openPropertyOrders = definePage({
  name: 'openPropertyOrders',
  menu: 'ProOperDetail',
  title: ['物业工单统计明细', 'Property statistics detail'],
  purpose: ['所点数字对应的工单，仅限您的项目', 'The orders of a figure, in your projects'],
});

/** The same of goods and services. Source: group 11, /operReport/operDetail. */
export const openOperationsOrders = definePage({
  name: 'openOperationsOrders',
  menu: 'operDetail',
  title: ['运营工单统计明细', 'Operations statistics detail'],
  purpose: ['所点数字对应的工单，仅限您的项目', 'The orders of a figure, in your projects'],
});

/** A page of orders. */
export interface OpenOrders {
  readonly total: number;
  readonly rows: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[];
  /** The filter as it was understood, in the order of its tags. */
  readonly filter: readonly { readonly name: string; readonly text: string; readonly fixed: boolean }[];
  /** The reader works in no project at all. */
  readonly nowhere: boolean;
}
