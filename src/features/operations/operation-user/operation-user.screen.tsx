import { useEffect, useEffectEvent } from 'react';
import { Select } from 'antd';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { refLabel, type RefValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { NarrowedInput } from '../../../domain/content/narrowed-input.tsx';
import { Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { operationUser } from './operation-user.contract.ts';

const WhenInput = lazyPart(() =>
  import('../../../domain/content/when-input.tsx').then((module) => module.WhenInput),
);
const EmojiInput = lazyPart(() =>
  import('../../../domain/content/emoji/emoji-input.tsx').then((module) => module.EmojiInput),
);
const post = operationUser.actions!.postAs.input!;
const { content, tag, project } = post;
const inHall = (values: Readonly<Record<string, unknown>>) => values.kind === 'chamber';

/** Why a planned post was not published, in the reader's language. */
function Failure({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) : NOTHING}</>;
}

/** One of the projects the operation user writes in; the only one stands there already. */
function OwnProject({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const own = (rows[0]?.projects ?? []) as readonly RefValue[];
  const choose = (chosen: string) => onChange?.(own.find((one) => one.id === chosen));
  const first = useEffectEvent(() => choose(own[0]!.id));
  const lonely = own.length === 1 && !value;
  useEffect(() => {
    if (lonely) first();
  }, [lonely]);
  return (
    <Select
      {...(id ? { id } : {})}
      className="k-fill"
      aria-label={text(project!.label)}
      placeholder={text(fill(words.pleaseSelect, { label: '' })).trim()}
      value={((value as RefValue | undefined)?.id ?? null) as never}
      disabled={disabled}
      showSearch={{ optionFilterProp: 'label' }}
      options={own.map((one) => ({ value: one.id, label: text(refLabel(one)) }))}
      onChange={choose}
    />
  );
}

const slots: ScreenSlots = {
  inputs: {
    ...inputsWhen(post, { options: inHall, multiple: inHall, voteDays: inHall }, true),
    content: (props) => <EmojiInput {...props} field={content!} />,
    project: (props) => <OwnProject {...props} />,
    tag: (props) =>
      inHall(props.values) ? (
        <NarrowedInput {...props} field={tag!} within={(props.values.project as RefValue | undefined)?.id} />
      ) : (
        <WhenInput {...props} field={tag!} when={false} clears />
      ),
  },
  parts: {
    planned: {
      cells: {
        content: (row) => <Emojied>{String(row.content)}</Emojied>,
        failure: (row) => <Failure value={row.failure} />,
      },
    },
  },
};

/** 运营用户 with the posts planned in their names. */
export const screen = {
  contract: operationUser,
  component: () => <ScreenOf contract={operationUser} slots={slots} />,
};
