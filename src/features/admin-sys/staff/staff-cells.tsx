import { useText } from '../../../kernel/client/language.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Choice, RefValue } from '../../../kernel/contract/fields.ts';
import { staff } from './staff.contract.ts';

const LOCKED: Choice = { label: ['锁定', 'Locked'], tone: 'warning' };
/** Groups named in a cell before the rest is counted. */
const NAMED = 2;

/** Cells all views of staff share: locked as a state, groups by name, projects by number. */
export const staffCells: NonNullable<ScreenSlots['cells']> = {
  state: (row) => (
    <StatusTag
      choice={row.locked === true && row.state === 'normal' ? LOCKED : staff.states![String(row.state)]!}
    />
  ),
  groups: (row) => <Groups row={row} />,
  projects: (row) => <Projects row={row} />,
};

function namesOf(value: unknown): string[] {
  return ((value as readonly RefValue[] | null) ?? []).map((one) => one.title);
}

function Groups({ row }: { readonly row: RowData }) {
  const text = useText();
  const names = namesOf(row.groups);
  const comma = text(['、', ', ']);
  if (names.length === 0) return <span className="k-nothing">–</span>;
  return (
    <span title={names.join(comma)}>
      {names.slice(0, NAMED).join(comma)}
      {names.length > NAMED && ` +${names.length - NAMED}`}
    </span>
  );
}

function Projects({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.allProjects === true) return <span>{text(['全部', 'All'])}</span>;
  const names = namesOf(row.projects);
  if (names.length === 0) return <span className="k-nothing">–</span>;
  return <span title={names.join(text(['、', ', ']))}>{names.length}</span>;
}
