import { fill, textOf, type Label, type Language } from '../../contract/label.ts';
import type { ActionSpec, ResourceSpec } from '../../contract/resource.ts';
import { actionWords, words } from '../texts.ts';
import type { RowData } from '../wire.ts';

/** An action with its name. */
export interface NamedAction {
  readonly name: string;
  readonly spec: ActionSpec;
  /** Never a link of its own: always under 更多. */
  readonly inMenu?: true;
  /** Offered on rows whose server allows this action. */
  readonly needs?: string;
}

/**
 * Actions of one row: what the server allows on it, in the order of the contract, and behind them `extra` ones of the page
 * that need no word of the server.
 */
export function rowActions(
  resource: ResourceSpec,
  row: Pick<RowData, 'actions'>,
  extra: readonly NamedAction[] = [],
): NamedAction[] {
  const allowed = new Set(row.actions);
  const own = actionsOf(resource).filter(
    ({ name, spec }) =>
      allowed.has(name) && (spec.on === 'row' || spec.on === 'rowAndBulk') && spec.opens !== 'drag',
  );
  const fitting = extra.filter((action) => action.needs === undefined || allowed.has(action.needs));
  return fitting.length === 0 ? own : [...own, ...fitting];
}

/** Names of row actions that the page offers by itself. */
export const OWN_ACTIONS = {
  copy: '$copy',
  addBelow: '$addBelow',
  move: '$move',
  up: '$up',
  down: '$down',
} as const;

/** Row actions that follow from the contract: a row below this one, another row after it, its place in the tree. */
export function ownRowActions(resource: ResourceSpec, held: (element: string) => boolean): NamedAction[] {
  const create = resource.actions?.create;
  const creates = create !== undefined && held(create.element);
  const own = (name: string, label: Label, element: string): NamedAction => ({
    name,
    spec: { label, on: 'row', element },
    inMenu: true,
  });
  const { move } = resource.actions ?? {};
  return [
    ...(resource.tree && creates ? [own(OWN_ACTIONS.addBelow, actionWords.addBelow, create.element)] : []),
    ...(resource.copy && creates ? [own(OWN_ACTIONS.copy, actionWords.copy, create.element)] : []),
    // Whoever does not drag moves by a dialog.
    ...(resource.tree && move?.opens === 'drag'
      ? [{ ...own(OWN_ACTIONS.move, move.label, move.element), needs: 'move' }]
      : []),
  ];
}

/** What became of a row, in English: 已{action} serves every label, a verb does not. */
const DONE: Readonly<Record<string, string>> = {
  Add: 'Added',
  Approve: 'Approved',
  Cancel: 'Cancelled',
  Close: 'Closed',
  Copy: 'Copied',
  Delete: 'Deleted',
  Disable: 'Disabled',
  Edit: 'Saved',
  Enable: 'Enabled',
  Publish: 'Published',
  Reject: 'Rejected',
  Remove: 'Removed',
  Save: 'Saved',
  Submit: 'Submitted',
  Void: 'Voided',
  Withdraw: 'Withdrawn',
};
function doneInEnglish(label: string): string {
  const adds = /^Add (?!or )/.test(label);
  return DONE[adds ? 'Add' : label] ?? words.done[1].replace('{action}', label);
}

/** What is said after success: the action's own words with what it answered, or the plain word. */
export function doneLabel(
  spec: Pick<ActionSpec, 'message'> & { readonly label: Label },
  answer: unknown,
): Label {
  const plain: Label = [words.done[0].replace('{action}', spec.label[0]), doneInEnglish(spec.label[1])];
  if (!spec.message) return plain;
  const result = (answer as { readonly result?: unknown } | null | undefined)?.result;
  const values = typeof result === 'object' && result !== null ? Object.entries(result) : [];
  const told = fill(
    spec.message,
    Object.fromEntries(
      values.filter((entry): entry is [string, string | number] =>
        ['string', 'number'].includes(typeof entry[1]),
      ),
    ),
  );
  // Words with a hole say less than the plain ones.
  return told.some((one) => /\{\w+[|}]/.test(one)) ? plain : told;
}

/** Actions offered for a selection: those the staff holds. Which rows allow them is up to each row. */
export function bulkActions(resource: ResourceSpec, held: (element: string) => boolean): NamedAction[] {
  return actionsOf(resource).filter(
    ({ spec }) => (spec.on === 'bulk' || spec.on === 'rowAndBulk') && held(spec.element),
  );
}

/** Actions of the page, the primary one last. */
export function pageActions(resource: ResourceSpec, held: (element: string) => boolean): NamedAction[] {
  const actions = actionsOf(resource).filter(({ spec }) => spec.on === 'page' && held(spec.element));
  const primary =
    actions.find(({ spec }) => spec.tone === 'primary') ?? actions.find(({ name }) => name === 'create');
  return primary ? [...actions.filter((action) => action !== primary), primary] : actions;
}

/** Row actions as they are drawn: links, and the rest under 更多. */
export interface SplitActions {
  readonly links: NamedAction[];
  readonly rest: NamedAction[];
}

/** Px the actions of a row may take beside the columns, and the language their labels are drawn in. */
export interface ActionRoom {
  readonly language: Language;
  readonly width: number;
}

/**
 * Splits row actions into links and the rest under 更多: at most three links in all, dangerous ones last. Where room is
 * scarce the last links go under 更多 too, until the first one is left.
 */
export function splitRowActions(actions: readonly NamedAction[], room?: ActionRoom): SplitActions {
  const split = splitByNumber(actions);
  return room ? squeezed(split, () => actionsWidth(split, room.language), room) : split;
}

/** Moves the last links under 更多 until what is left fits, or only the first one is. */
function squeezed(split: SplitActions, width: () => number, room: ActionRoom): SplitActions {
  while (split.links.length > 1 && width() > room.width) split.rest.unshift(split.links.pop()!);
  return split;
}

const BULK_PADDING = 24;

/** Splits the actions of a selection into the buttons that fit on one line, at least one, and the rest under 更多. */
export function splitBulkActions(actions: readonly NamedAction[], room: ActionRoom): SplitActions {
  const split: SplitActions = { links: [...actions], rest: [] };
  const buttonWidth = (label: Label) => textWidth(textOf(label, room.language)) + BULK_PADDING;
  const width = () =>
    split.links.reduce((sum, { spec }) => sum + buttonWidth(spec.label), 0) +
    (split.rest.length > 0 ? buttonWidth(words.moreActions) + 24 : 0);
  return squeezed(split, width, room);
}

/** Estimated width in px of the actions of a row. */
export function actionsWidth({ links, rest }: SplitActions, language: Language): number {
  const labels = links.map(({ spec }) => textWidth(textOf(spec.label, language)));
  if (rest.length > 0) labels.push(textWidth(textOf(words.moreActions, language)) + 16);
  return labels.reduce((sum, label) => sum + label + 16, 0);
}

function splitByNumber(actions: readonly NamedAction[]): SplitActions {
  const menu = actions.filter((action) => action.inMenu);
  if (menu.length > 0) {
    const split = splitByNumber(actions.filter((action) => !action.inMenu));
    // The dangerous ones stay last; a third link makes room for 更多.
    const links = split.links.slice(0, 2);
    const rest = [...split.links.slice(2), ...split.rest];
    const at = rest.findIndex(({ spec }) => spec.tone === 'danger');
    return {
      links,
      rest: at < 0 ? [...rest, ...menu] : [...rest.slice(0, at), ...menu, ...rest.slice(at)],
    };
  }
  const safe = actions.filter(({ spec }) => spec.tone !== 'danger');
  const danger = actions.filter(({ spec }) => spec.tone === 'danger');
  // One lonely dangerous action would only hide behind a menu of one.
  if (safe.length === 0 && danger.length === 1) return { links: danger, rest: [] };
  if (danger.length === 0 && safe.length <= 3) return { links: safe, rest: [] };
  return { links: safe.slice(0, 2), rest: [...safe.slice(2), ...danger] };
}

/**
 * Divides a selection into rows that allow the action now and rows that do not. A row says so itself for
 * `rowAndBulk`; for `bulk` the declared states decide, and the server checks again.
 */
export function eligibleRows(
  action: NamedAction,
  rows: readonly RowData[],
): { allowed: readonly RowData[]; refused: readonly RowData[] } {
  const allows = (row: RowData) => {
    if (row.actions.includes(action.name)) return true;
    if (action.spec.on === 'rowAndBulk') return false;
    return !action.spec.from || action.spec.from.includes(String(row.state));
  };
  return { allowed: rows.filter(allows), refused: rows.filter((row) => !allows(row)) };
}

/** Estimated width in px of a text at 14 px, for columns that must not jump. */
export function textWidth(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (character.charCodeAt(0) > 255 ? 14 : 7.6), 0);
}

function actionsOf(resource: ResourceSpec): NamedAction[] {
  return Object.entries(resource.actions ?? {}).map(([name, spec]) => ({ name, spec }));
}
