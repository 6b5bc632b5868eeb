import type { ReactNode } from 'react';
import type { RowData } from './wire.ts';

/** What a custom interaction of an action with `opens: 'screen'` is given. */
export interface ActionScreenProps {
  /** The row it was started on; absent for page and bulk actions. */
  readonly row: RowData | undefined;
  /** The selected rows of a bulk action, else the row or nothing. */
  readonly rows: readonly RowData[];
  /** Leaves without doing anything. */
  readonly close: () => void;
  /** Leaves after success: message, fresh list, flashing rows. */
  readonly done: (changed?: readonly string[]) => void;
}

/** A part of a detail, shown as a tab. */
export interface DetailPart {
  readonly key: string;
  readonly label: readonly [zh: string, en: string];
  readonly render: (row: RowData) => ReactNode;
}

/** What a screen file may put into the default screen; everything else is made from the contract. */
export interface ScreenSlots {
  /** Cells of the list and facts of the detail by field name. */
  readonly cells?: Readonly<Record<string, (row: RowData) => ReactNode>>;
  /** Between title and search bar. */
  readonly above?: ReactNode;
  /** Left in the toolbar. */
  readonly toolbar?: ReactNode;
  /** At the right of a list, report or settings form. A function is given the values of the settings form. */
  readonly aside?: ReactNode | ((values: Readonly<Record<string, unknown>>) => ReactNode);
  readonly detailParts?: readonly DetailPart[];
  /** What the child lists of the detail put into their own table and forms, by key of the part. */
  readonly parts?: Readonly<Record<string, ScreenSlots>>;
  /** Above the facts of the detail. */
  readonly detailAbove?: (row: RowData) => ReactNode;
  readonly actionScreens?: Readonly<Record<string, (props: ActionScreenProps) => ReactNode>>;
  /** Between question and input of an action's dialog, by action: what it is about, from the server's figures. */
  readonly dialogAbove?: Readonly<Record<string, (row: RowData) => ReactNode>>;
  /** What the input of an action's dialog starts with, by action, as its inputs hold it: what stands there already is not typed again. */
  readonly dialogWith?: Readonly<Record<string, (row: RowData) => Readonly<Record<string, unknown>>>>;
  readonly expandedRow?: (row: RowData) => ReactNode;
  /** Values a create form starts with, by field name, as its inputs hold them. */
  readonly createWith?: Readonly<Record<string, unknown>>;
  /** Inputs of the form that are not shown; what they are given by `createWith` is sent. */
  readonly hiddenInputs?: readonly string[];
  /** Inputs of forms by field name. */
  readonly inputs?: Readonly<Record<string, (props: SlotInputProps) => ReactNode>>;
}

/** What an input of a slot is given. */
export interface SlotInputProps {
  readonly id?: string;
  readonly value?: unknown;
  readonly onChange?: (value: unknown) => void;
  /** All values of the form as they are now. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What the form is about: the row that is edited or acted on, the rows of a bulk action; empty where one is added. */
  readonly rows: readonly RowData[];
  readonly disabled: boolean;
}
