import './job.css';
import { cronWords } from '../../../kernel/contract/cron.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { effect } from './effect.contract.ts';
import { jobRun, RUN_STATES } from './job-run.contract.ts';
import { job } from './job.contract.ts';

const CronInput = lazyPart(() => import('./job-inputs.tsx').then((module) => module.CronInput));
const HandlerInput = lazyPart(() => import('./job-inputs.tsx').then((module) => module.HandlerInput));
const ParamsInput = lazyPart(() => import('./job-inputs.tsx').then((module) => module.ParamsInput));
const RunOutput = lazyPart(() => import('./run-output.tsx').then((module) => module.RunOutput));

const runSlots: ScreenSlots = {
  cells: { job: (row) => <RunJobCell row={row} /> },
  detailParts: [{ key: 'output', label: ['输出', 'Output'], render: (row) => <RunOutput row={row} /> }],
};

const slots: ScreenSlots = {
  above: <Parts />,
  cells: {
    name: (row) => <NameCell row={row} />,
    cron: (row) => <CronCell pattern={String(row.cron ?? '')} />,
    lastState: (row) => <LastCell row={row} />,
  },
  inputs: {
    cron: (props) => <CronInput {...props} />,
    handler: (props) => <HandlerInput {...props} />,
    params: (props) => <ParamsInput {...props} />,
  },
  parts: { runs: runSlots },
};

const PARTS = { run: jobRun, effect } as const;

/** Jobs, their runs and what waits in the outbox, as three tabs. */
function JobManager() {
  const view = useView();
  const part = view.query.get('part');
  if (part === 'run') return <ScreenOf contract={jobRun} slots={{ ...runSlots, above: <Parts /> }} />;
  if (part === 'effect') return <ScreenOf contract={effect} slots={{ above: <Parts /> }} />;
  return <ScreenOf contract={job} slots={slots} />;
}

/** 定时任务. */
export const screen = { contract: job, component: JobManager };

function Parts() {
  const text = useText();
  const view = useView();
  const held = useHeld(job);
  const part = view.query.get('part');
  return (
    <TabList
      label={text(job.title)}
      className="job-parts"
      tabs={[
        { key: 'job', label: text(['任务', 'Jobs']) },
        ...(held('btn_log') ? [{ key: 'run', label: text(jobRun.title) }] : []),
        { key: 'effect', label: text(effect.title) },
      ]}
      active={part && part in PARTS ? part : 'job'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'job' ? {} : { part: key }))}
    />
  );
}

/** The name in the language of the page. */
function NameCell({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  return <>{String((language === 'en' && row.nameEn) || row.name)}</>;
}

function RunJobCell({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  const title = (row.job as { title: string } | null)?.title ?? '—';
  return <>{String((language === 'en' && row.jobEn) || title)}</>;
}

/** The pattern in plain words, itself below. */
function CronCell({ pattern }: { readonly pattern: string }) {
  const text = useText();
  return (
    <span className="job-cron" title={pattern}>
      {text(cronWords(pattern))}
    </span>
  );
}

/** The last result; it opens the runs of the job. */
function LastCell({ row }: { readonly row: RowData }) {
  const view = useView();
  const held = useHeld(job);
  const state = RUN_STATES[row.lastState as keyof typeof RUN_STATES];
  if (!state) return <>—</>;
  if (!held('btn_log')) return <StatusTag choice={state} />;
  return (
    <button
      type="button"
      className="k-link"
      onClick={() => view.setQuery(new URLSearchParams({ part: 'run', job: row.id }))}
    >
      <StatusTag choice={state} />
    </button>
  );
}
