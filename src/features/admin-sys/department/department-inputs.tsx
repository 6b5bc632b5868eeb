import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { staff as staffOfTenant } from '../staff/staff.contract.ts';
import { department, memberKind } from './department.contract.ts';
import { JoiningImpact, MovingImpact } from './impact-text.tsx';

/** Inputs of the department forms that say below them whose rights change. */
export const departmentInputs: NonNullable<ScreenSlots['inputs']> = {
  parent: (props) => <ParentInput {...props} />,
  kind: (props) => <KindInput {...props} />,
};

/** The parent of a department; another one than it has moves it with everything below. */
function ParentInput({ values: _values, rows, ...input }: SlotInputProps) {
  const [row] = rows;
  const idOf = (value: unknown) => (value as RefValue | null | undefined)?.id;
  const moves = row !== undefined && idOf(input.value) !== idOf(row.parent);
  return (
    <>
      <FieldInput field={department.fields.parent} {...input} />
      {moves && <MovingImpact id={row.id} parent={idOf(input.value)} />}
    </>
  );
}

/** How staff belong to the department they are added to: as their main one they move. */
function KindInput({ values, rows, ...input }: SlotInputProps) {
  const staff = ((values.staff as readonly RefValue[] | undefined) ?? []).map((one) => one.id);
  return (
    <>
      <FieldInput field={memberKind} {...input} />
      {input.value === 'main' && (
        <JoiningImpact root={rootOf(staffOfTenant)} staff={staff} into={rows[0]?.id} />
      )}
    </>
  );
}
