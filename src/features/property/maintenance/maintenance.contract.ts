import { viewOf, type Resource } from '../../../kernel/contract/resource.ts';
import type { WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { workOrder } from '../work-order/work-order.contract.ts';

const view = viewOf(workOrder, {
  name: 'maintenance',
  menu: 'cs_maintenance',
  title: ['报修管理', 'Repair desk'],
  noun: ['报修工单', 'Repair'],
  purpose: [
    '派单台：把待派工单拖给在岗人员，按时效排序，各工位4秒内同步',
    'Drag what waits to the people on duty; sorted by what is due first, every desk follows within 4 seconds',
  ],
  fixed: { class: 'repair' },
  without: ['type'],
  list: { export: false },
  actions: ['dispatch', 'transfer'],
  elements: {},
});

/** Repair orders as the dispatcher sees them: given to people, and given to others. One element allows both. */
export const maintenance = {
  ...view,
  actions: {
    dispatch: view.actions!.dispatch!,
    transfer: { ...view.actions!.transfer!, element: 'btn_dispatch' },
  },
} as Resource<typeof view.fields, 'dispatch' | 'transfer'>;

/** A card of the board. */
export interface BoardCard {
  readonly id: string;
  readonly version: number;
  readonly code: string;
  readonly title: string;
  readonly state: WorkState;
  readonly urgency: 'normal' | 'urgent' | 'emergency';
  readonly category: string;
  readonly address: string;
  readonly handler: { readonly id: string; readonly title: string } | null;
  readonly waits: boolean;
  readonly dueAt: string | null;
  readonly targetMinutes: number;
  readonly usedMinutes: number;
  readonly paused: boolean;
}

/** Somebody on duty. */
export interface BoardPerson {
  readonly id: string;
  readonly name: string;
  readonly skills: readonly string[];
  readonly area: string;
  readonly open: number;
  readonly finishedToday: number;
}

/** Everything the board shows. */
export interface Board {
  readonly at: string;
  readonly columns: readonly {
    readonly state: WorkState;
    readonly count: number;
    readonly cards: readonly BoardCard[];
  }[];
  readonly people: readonly BoardPerson[];
}
