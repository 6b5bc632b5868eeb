import './system-log.css';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { errorReport } from './error-report.contract.ts';
import { outbox } from './outbox.contract.ts';
import { systemEvent } from './system-event.contract.ts';

const ErrorParts = lazyPart(() => import('./error-parts.tsx').then((module) => module.ErrorParts));

const errorSlots: ScreenSlots = {
  above: <Parts />,
  detailParts: [
    { key: 'stack', label: ['堆栈与上下文', 'Stack and context'], render: (row) => <ErrorParts row={row} /> },
  ],
};
const eventSlots: ScreenSlots = { above: <Parts />, cells: { text: (row) => <EventText row={row} /> } };
const outboxSlots: ScreenSlots = { above: <Parts /> };

/** Errors, events of the system and messages on their way out, as three tabs. */
function SystemLog() {
  const view = useView();
  const part = view.query.get('part');
  if (part === 'event') return <ScreenOf contract={systemEvent} slots={eventSlots} />;
  if (part === 'outbox') return <ScreenOf contract={outbox} slots={outboxSlots} />;
  return <ScreenOf contract={errorReport} slots={errorSlots} />;
}

/** 系统日志. */
export const screen = { contract: errorReport, component: SystemLog };

function Parts() {
  const text = useText();
  const view = useView();
  const part = view.query.get('part');
  return (
    <TabList
      label={text(['系统日志', 'System log'])}
      className="sl-parts"
      tabs={[
        { key: 'error', label: text(errorReport.title) },
        { key: 'event', label: text(systemEvent.title) },
        { key: 'outbox', label: text(outbox.title) },
      ]}
      active={part === 'event' || part === 'outbox' ? part : 'error'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'error' ? {} : { part: key }))}
    />
  );
}

/** What happened, in the language of the page. */
function EventText({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  return <>{String((language === 'en' && row.textEn) || row.text)}</>;
}
