import { createContext, useContext } from 'react';

/** What a screen knows of the tab it lives in. The frame provides it; screens never touch the router. */
export interface View {
  /** Path of the tab, `/service/mm_orderRefund`. */
  readonly path: string;
  /** Menu code of the route. */
  readonly menu: string;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Query of this tab (state of the view), always the latest. */
  readonly query: URLSearchParams;
  /** Replaces the query; the address bar follows while the tab is active. */
  setQuery(next: URLSearchParams): void;
  /** False while another tab is shown. */
  readonly active: boolean;
  /** Adds the record's number to the tab title. */
  setTitle(suffix: string): void;
  /** Marks unsaved input: dot on the tab, question before closing. */
  setDirty(dirty: boolean): void;
  /** Opens a path of the product in its tab. */
  open(path: string): void;
  /** Closes this tab. */
  close(): void;
  /** True when a path of the product exists and the staff may open it. */
  mayOpen(path: string): boolean;
  /** Where a menu's screen lives, or undefined when the staff does not hold it. */
  pathOf(menu: string): string | undefined;
  /** Where the sealed records of a row are read, or undefined when the staff does not read them. */
  historyOf(resource: string, id: string): string | undefined;
}

export const ViewContext = createContext<View | undefined>(undefined);

/** Class of dialogs and drawers of a view: they leave tabs and menu reachable. Empty for those of the frame itself. */
export function useLayerClass(): string {
  return useContext(ViewContext) ? 'k-in-view' : '';
}

/** The view a component is in. Throws outside a tab. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error('useView outside of a view');
  return view;
}
