import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import {
  settlementDraft,
  settlementPreview,
  settlementRow,
  settlementRun,
  statementAdjustment,
} from './initiate.contract.ts';

/** A text in the reader's language. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) || '–' : '–'}</>;
}

const rowSlots: ScreenSlots = { cells: { why: (row) => <Said value={row.why} /> } };
const previewSlots: ScreenSlots = {
  cells: { warnings: (row) => <Said value={row.warnings} /> },
  parts: { rows: rowSlots },
};
const runSlots: ScreenSlots = { parts: { previews: previewSlots, rows: rowSlots } };

const TABS = [
  { key: 'runs', label: ['发起与批次', 'Runs'], contract: settlementRun, slots: runSlots },
  { key: 'previews', label: ['商户预览', 'Previews'], contract: settlementPreview, slots: previewSlots },
  { key: 'rows', label: ['排除明细', 'Left out'], contract: settlementRow, slots: rowSlots },
  { key: 'drafts', label: ['草稿', 'Drafts'], contract: settlementDraft, slots: {} },
  { key: 'adjustments', label: ['调整单', 'Adjustments'], contract: statementAdjustment, slots: {} },
] as const;

/** Runs with their previews, drafts and adjustments, each a list of its own; a run as a page. */
function InitiateScreen() {
  const text = useText();
  const view = useView();
  if (view.params.id) return <ScreenOf contract={settlementRun} slots={runSlots} />;
  const shown = TABS.find((tab) => tab.key === view.query.get('as')) ?? TABS[0];
  const strip = (
    <TabList
      label={text(settlementRun.title)}
      tabs={TABS.map((tab) => ({ key: tab.key, label: text(tab.label) }))}
      active={shown.key}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'runs' ? {} : { as: key }))}
    />
  );
  return <ScreenOf key={shown.key} contract={shown.contract} slots={{ ...shown.slots, above: strip }} />;
}

/** 发起结算. */
export const screen = { contract: settlementRun, component: InitiateScreen };
