import { Select } from 'antd';
import { useText } from '../language.ts';
import { words } from '../texts.ts';

/** A select of fixed words for a filter, open and focused from the start. Loaded on demand: the select is large. */
export function ChoiceSelect(props: {
  readonly label: string;
  readonly value: readonly string[];
  readonly multiple: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (words: readonly string[]) => void;
}) {
  const text = useText();
  return (
    <Select
      className="k-fill"
      prefix={props.label}
      {...(props.multiple ? { mode: 'multiple' as const, maxTagCount: 'responsive' as const } : {})}
      allowClear
      autoFocus
      defaultOpen
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={text(words.all)}
      aria-label={props.label}
      value={(props.multiple ? props.value : (props.value[0] ?? null)) as never}
      options={[...props.options]}
      onChange={(chosen: unknown) => props.onChange([chosen ?? []].flat() as string[])}
    />
  );
}
