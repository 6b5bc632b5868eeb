import { create } from 'zustand';
import type { PublicPage } from './navigation.rules.ts';

/** What the window shows. The frame itself keeps its tabs in its own store. */
export type Stage =
  | { readonly kind: 'start' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'public'; readonly page: PublicPage }
  | { readonly kind: 'mustChange' }
  | { readonly kind: 'frame'; readonly page: 'screen' | 'noAccess' | 'notFound' };

interface StageState {
  readonly stage: Stage;
}

/** The current stage; written by the navigator only. */
export const useStage = create<StageState>(() => ({ stage: { kind: 'start' } }));
