import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { words } from '../texts.ts';
import type { NamedAction } from './actions.rules.ts';

/** 更多: the actions that have no button of their own; nothing when there are none. */
export function MoreActions(props: {
  readonly actions: readonly NamedAction[];
  readonly className: string;
  readonly run: (name: string) => void;
}) {
  const text = useText();
  if (props.actions.length === 0) return null;
  return (
    <MenuButton
      className={props.className}
      align="end"
      entries={props.actions.map(({ name, spec }) => ({
        key: name,
        label: text(spec.label),
        danger: spec.tone === 'danger',
        run: () => props.run(name),
      }))}
    >
      {text(words.moreActions)}
      <Icon name="down" className="k-caret" />
    </MenuButton>
  );
}
