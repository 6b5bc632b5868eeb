import { useState } from 'react';
import { Select } from 'antd';
import { useText } from '../language.ts';
import { tabLeaves } from '../parts/tab-leaves.ts';
import { words } from '../texts.ts';

/** A select of fixed words for a filter, open and focused from the start. Loaded on demand: the select is large. */
export function ChoiceSelect(props: {
  readonly label: string;
  readonly value: readonly string[];
  readonly multiple: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly placeholder?: string | undefined;
  readonly onChange: (words: readonly string[]) => void;
}) {
  const text = useText();
  const [open, setOpen] = useState(true);
  return (
    <Select
      className="k-fill"
      prefix={props.label}
      {...(props.multiple ? { mode: 'multiple' as const, maxTagCount: 'responsive' as const } : {})}
      allowClear
      autoFocus
      open={open}
      onOpenChange={setOpen}
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={props.placeholder ?? text(words.all)}
      onInputKeyDown={(event) => props.multiple && tabLeaves(event, () => setOpen(false))}
      aria-label={props.label}
      value={(props.multiple ? props.value : (props.value[0] ?? null)) as never}
      options={[...props.options]}
      onChange={(chosen: unknown) => props.onChange([chosen ?? []].flat() as string[])}
    />
  );
}
