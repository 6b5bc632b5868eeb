import { useText } from '../../../kernel/client/language.ts';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { priceSpan } from '../product/price-span.rules.ts';
import { changesText, waitedText, type ChangeLine } from './comparison.rules.ts';
import { productReview } from './product-review.contract.ts';

const ComparisonPart = lazyPart(() => import('./review-parts.tsx').then((module) => module.ComparisonPart));
const SpecsComparison = lazyPart(() => import('./review-parts.tsx').then((module) => module.SpecsComparison));
const PreviousPart = lazyPart(() => import('./review-parts.tsx').then((module) => module.PreviousPart));
const ChangedLines = lazyPart(() => import('./review-parts.tsx').then((module) => module.ChangedLines));

const slots: ScreenSlots = {
  cells: {
    changes: (row) => <ChangesCell row={row} />,
    waited: (row) => <WaitedCell row={row} />,
    price: (row) => <span className="k-number">{priceSpan(String(row.price), String(row.priceMax))}</span>,
  },
  detailAbove: (row) => <ChangedLines row={row} />,
  detailParts: [
    { key: 'content', label: ['内容对比', 'Content'], render: (row) => <ComparisonPart row={row} /> },
    { key: 'specs', label: ['规格对比', 'Specs'], render: (row) => <SpecsComparison row={row} /> },
    { key: 'previous', label: ['历次审核', 'Earlier reviews'], render: (row) => <PreviousPart row={row} /> },
  ],
  dialogAbove: {
    pass: (row) => <ChangedLines row={row} />,
    reject: (row) => <ChangedLines row={row} />,
  },
};

/** Reviews of goods: the queue with what each one changes, the proposal beside what is live. */
function ProductReviewScreen() {
  return <ScreenOf contract={productReview} slots={slots} />;
}

function ChangesCell({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  const text = useText();
  const lines = (row.changes ?? []) as readonly ChangeLine[];
  if (lines.length === 0) return <span className="k-quiet">{text(['全部内容', 'Everything'])}</span>;
  return <span>{changesText(lines, language)}</span>;
}

function WaitedCell({ row }: { readonly row: RowData }) {
  const language = useLanguageStore((state) => state.language);
  if (row.waited === null || row.waited === undefined) return <>–</>;
  const minutes = Number(row.waited);
  const late = row.state === 'waiting' && minutes > 1_440;
  return <span className={late ? 'k-problem' : ''}>{waitedText(minutes, language)}</span>;
}

/** Module of mm_commodityApprove. */
export const screen = { contract: productReview, component: ProductReviewScreen };
