import { create } from 'zustand';
import type { Label } from '../../../../kernel/contract/label.ts';

/** What a loaded screen says about itself. */
export interface ScreenFacts {
  readonly title: Label | undefined;
  /** Shows personal or money data: carries the watermark. */
  readonly sensitive: boolean;
  /** Menu of the list, where this is a form or detail of it with a menu of its own. */
  readonly list?: string | undefined;
  /** What the forms below the list are called. */
  readonly modes?: Readonly<Record<'add' | 'edit', Label>> | undefined;
}

interface FactState {
  /** By route pattern. */
  readonly facts: Readonly<Record<string, ScreenFacts>>;
}

/** Facts of the screens loaded so far. */
export const useScreenFacts = create<FactState>(() => ({ facts: {} }));
