import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { butlerReminder, butlerReminderShare } from './remind.contract.ts';

const AudienceProjects = lazyPart(() =>
  import('../audience-projects.tsx').then((module) => module.AudienceProjects),
);

const slots: ScreenSlots = {
  inputs: { projects: (props: SlotInputProps) => <AudienceProjects {...props} /> },
};

/** Reminders, and what butlers did with them. */
function RemindScreen() {
  const text = useText();
  const view = useView();
  const shares = view.query.get('as') === 'shares';
  const strip = (
    <TabList
      label={text(butlerReminder.title)}
      tabs={[
        { key: 'reminders', label: text(butlerReminder.title) },
        { key: 'shares', label: text(butlerReminderShare.title) },
      ]}
      active={shares ? 'shares' : 'reminders'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'shares' ? { as: 'shares' } : {}))}
    />
  );
  return shares ? (
    <ScreenOf key="shares" contract={butlerReminderShare} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="reminders" contract={butlerReminder} slots={{ ...slots, above: strip }} />
  );
}

/** Module of butler_remind. */
export const screen = { contract: butlerReminder, component: RemindScreen };
