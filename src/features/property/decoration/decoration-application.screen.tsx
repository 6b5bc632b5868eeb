import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { ApplicantInput } from '../custody/applicant-input.tsx';
import { HouseLink } from '../house/house-link.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { decorationApplication } from './decoration-application.contract.ts';

const Statement = lazyPart(() => import('./decoration-parts.tsx').then((module) => module.DepositStatement));
const Violation = lazyPart(() => import('./decoration-parts.tsx').then((module) => module.ViolationInput));

const slots: ScreenSlots = {
  cells: {
    house: (row) => <HouseLink house={row.house as RefValue | null} />,
    violations: (row) => (
      <span className={Number(row.violations) > 0 ? 'k-number k-problem' : 'k-number'}>
        {String(row.violations)}
      </span>
    ),
    overdue: (row) => <Overdue row={row} />,
  },
  dialogWith: {
    receive: (row) => {
      const missing = Number(row.deposit) - Number(row.depositHeld);
      return missing > 0 ? { amount: missing.toFixed(2) } : {};
    },
    check: (row) => ({ stage: row.stage }),
  },
  inputs: {
    applicant: (props) => <ApplicantInput {...props} />,
    check: (props) => <Violation {...props} />,
  },
  detailParts: [{ key: 'deposit', label: ['押金流水', 'Deposit'], render: (row) => <Statement row={row} /> }],
};

function Overdue({ row }: { readonly row: RowData }) {
  const text = useText();
  return row.overdue ? <span className="k-problem">{text(['超期', 'Overdue'])}</span> : null;
}

function DecorationApplications() {
  return <ScreenOf contract={decorationApplication} slots={slots} />;
}

/** 装修监理申请. */
export const screen = { contract: decorationApplication, component: DecorationApplications };
