import { Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { REPORT_REASONS } from '../../../domain/report-case/report-case.rules.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { reportCase } from './report.contract.ts';
import './report.css';

const Figures = lazyPart(() => import('./report-figures.tsx').then((module) => module.Figures));
const Reporters = lazyPart(() => import('./report-parts.tsx').then((module) => module.Reporters));
const Comparison = lazyPart(() => import('./report-parts.tsx').then((module) => module.Comparison));
const Around = lazyPart(() => import('./report-parts.tsx').then((module) => module.Around));
const History = lazyPart(() => import('./report-parts.tsx').then((module) => module.History));
const Moderation = lazyPart(() => import('./report-parts.tsx').then((module) => module.Moderation));

/** The three most common reasons with their numbers. */
function Reasons({ row }: { readonly row: RowData }) {
  const text = useText();
  const reasons = (row.topReasons ?? []) as readonly { code: keyof typeof REPORT_REASONS; n: number }[];
  return <>{reasons.map((one) => `${text(REPORT_REASONS[one.code].label)}×${one.n}`).join(' ')}</>;
}

/** The time a case is due, red once it has passed. */
function Due({ row }: { readonly row: RowData }) {
  const text = useText();
  const open = row.state !== 'upheld' && row.state !== 'dismissed';
  const at = String(row.dueAt);
  const late = open && new Date(at) < new Date();
  return (
    <span className={late ? 'rc-late' : undefined}>
      {instantShort(at)}
      {late && ` ${text(['超时', 'overdue'])}`}
    </span>
  );
}

const slots: ScreenSlots = {
  above: <Figures />,
  cells: {
    excerpt: (row) => <Emojied>{String(row.excerpt)}</Emojied>,
    topReasons: (row) => <Reasons row={row} />,
    dueAt: (row) => <Due row={row} />,
  },
  detailAbove: (row) => <Comparison row={row} />,
  detailParts: [
    { key: 'around', label: ['前后评论', 'Comments around'], render: (row) => <Around row={row} /> },
    { key: 'history', label: ['作者记录', 'Author'], render: (row) => <History row={row} /> },
    { key: 'moderation', label: ['内容操作', 'Moderation'], render: (row) => <Moderation row={row} /> },
  ],
  actionScreens: { reporters: (props) => <Reporters {...props} /> },
};

function ReportScreen() {
  return <ScreenOf contract={reportCase} slots={slots} />;
}

/** 举报管理: the queue, the most urgent first. */
export const screen = { contract: reportCase, component: ReportScreen };
