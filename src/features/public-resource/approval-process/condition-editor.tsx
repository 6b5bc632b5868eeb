import { Select } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { useTabLeaves } from '../../../kernel/client/parts/tab-leaves.ts';
import {
  operatorsOf,
  type ApprovalField,
  type Comparison,
  type Condition,
  type FactValue,
} from '../../../domain/approval/process.rules.ts';
import { OPERATORS, type Names } from './flow-words.ts';
import { FactInput, StaffInput, Words } from './node-inputs.tsx';

/** When a branch is taken: groups joined by OR, comparisons inside of a group by AND. */
export function ConditionEditor(props: {
  readonly condition: Condition;
  readonly fields: readonly ApprovalField[];
  readonly names: Names;
  readonly onChange: (condition: Condition) => void;
}) {
  const text = useText();
  const { condition, fields } = props;
  if (fields.length === 0)
    return (
      <p className="k-quiet">
        {text(['该业务类型没有可用的条件字段', 'This business type has no condition fields'])}
      </p>
    );
  const setGroup = (index: number, group: readonly Comparison[]) =>
    props.onChange(condition.map((one, at) => (at === index ? group : one)));
  return (
    <div className="pc-fields">
      {condition.map((group, index) => (
        // Groups have no name of their own.
        // eslint-disable-next-line react/no-array-index-key
        <fieldset key={index} className="pc-box">
          <legend className="k-quiet k-small">
            {index === 0 ? text(['同时满足', 'All of these']) : text(['或者同时满足', 'Or all of these'])}
          </legend>
          {group.map((one, at) => (
            <ComparisonRow
              // eslint-disable-next-line react/no-array-index-key
              key={at}
              one={one}
              fields={fields}
              names={props.names}
              onChange={(next) =>
                setGroup(
                  index,
                  group.map((each, place) => (place === at ? next : each)),
                )
              }
              onRemove={() =>
                setGroup(
                  index,
                  group.filter((_, place) => place !== at),
                )
              }
            />
          ))}
          <div className="pc-row">
            <button
              type="button"
              className="k-link"
              onClick={() => setGroup(index, [...group, firstOf(fields[0]!)])}
            >
              {text(['添加条件', 'Add a condition'])}
            </button>
            {condition.length > 1 && (
              <button
                type="button"
                className="k-link k-danger"
                onClick={() => props.onChange(condition.filter((_, place) => place !== index))}
              >
                {text(['删除此组', 'Delete this group'])}
              </button>
            )}
          </div>
        </fieldset>
      ))}
      <button
        type="button"
        className="k-button"
        onClick={() => props.onChange([...condition, [firstOf(fields[0]!)]])}
      >
        {text(['添加「或」条件组', 'Add an OR group'])}
      </button>
    </div>
  );
}

function firstOf(field: ApprovalField): Comparison {
  return {
    field: field.name,
    operator: operatorsOf(field.kind)[0]!,
    value: field.kind === 'boolean' ? true : null,
  };
}

function ComparisonRow(props: {
  readonly one: Comparison;
  readonly fields: readonly ApprovalField[];
  readonly names: Names;
  readonly onChange: (one: Comparison) => void;
  readonly onRemove: () => void;
}) {
  const text = useText();
  const leaves = useTabLeaves();
  const { one, fields, names } = props;
  const field = fields.find((each) => each.name === one.field);
  const operators = field ? operatorsOf(field.kind) : [];
  const label = text(['条件值', 'Value']);
  return (
    <div className="pc-row">
      <span className="pc-grow">
        <Words
          label={text(['字段', 'Field'])}
          value={field?.name}
          options={fields.map((each) => [each.name, each.label] as const)}
          onChange={(name) => props.onChange(firstOf(fields.find((each) => each.name === name)!))}
        />
      </span>
      <span className="pc-grow">
        <Words
          label={text(['比较', 'Comparison'])}
          value={one.operator}
          options={operators.map((each) => [each, OPERATORS[each]] as const)}
          onChange={(operator) =>
            props.onChange({
              ...one,
              operator,
              value:
                operator === 'in'
                  ? [one.value].flat().filter((each) => each !== null)
                  : Array.isArray(one.value)
                    ? ((one.value[0] as FactValue | undefined) ?? null)
                    : one.value,
            })
          }
        />
      </span>
      <span className="pc-grow">
        {field && one.operator === 'in' ? (
          field.kind === 'staff' ? (
            <StaffInput
              label={label}
              value={([one.value].flat() as (number | null)[]).filter((each) => each !== null)}
              names={names}
              onChange={(ids) => props.onChange({ ...one, value: ids })}
            />
          ) : (
            <Select
              {...leaves}
              mode="multiple"
              className="k-fill"
              aria-label={label}
              value={[one.value].flat() as string[]}
              options={(field.options ?? []).map((each) => ({ value: each.value, label: text(each.label) }))}
              onChange={(value: string[]) => props.onChange({ ...one, value })}
            />
          )
        ) : (
          field && (
            <FactInput
              field={field}
              value={one.value as FactValue}
              label={label}
              names={names}
              onChange={(value) => props.onChange({ ...one, value })}
            />
          )
        )}
      </span>
      <button
        type="button"
        className="k-eye"
        aria-label={text(['删除条件', 'Delete the condition'])}
        onClick={props.onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
