import { create } from 'zustand';
import type { Label } from '../../../../kernel/contract/label.ts';

/** What a loaded screen says about itself. */
export interface ScreenFacts {
  readonly title: Label | undefined;
  /** Shows personal or money data: carries the watermark. */
  readonly sensitive: boolean;
}

interface FactState {
  /** By route pattern. */
  readonly facts: Readonly<Record<string, ScreenFacts>>;
}

/** Facts of the screens loaded so far. */
export const useScreenFacts = create<FactState>(() => ({ facts: {} }));
