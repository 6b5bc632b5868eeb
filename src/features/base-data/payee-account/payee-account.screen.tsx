import './payee-account.css';
import { Tabs } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { payeeAssignment } from './payee-assignment.contract.ts';
import { payeeChange } from './payee-change.contract.ts';
import { payeeFlow } from './payee-flow.contract.ts';
import { payeeReceived } from './payee-received.contract.ts';

// Loaded when they are opened: the list is what everybody waits for.
const PayeeForm = lazyPart(() => import('./payee-form.tsx').then((module) => module.PayeeForm));
const TestDialog = lazyPart(() => import('./payee-test-dialog.tsx').then((module) => module.TestDialog));
const BusinessInput = lazyPart(() => import('./payee-form.tsx').then((module) => module.BusinessInput));
const PemInput = lazyPart(() => import('./payee-form.tsx').then((module) => module.PemInput));
const WhichAccount = lazyPart(() => import('./which-account.tsx').then((module) => module.WhichAccount));
const Coverage = lazyPart(() => import('./payee-coverage.tsx').then((module) => module.Coverage));
const ChangeButtons = lazyPart(() => import('./payee-parts.tsx').then((module) => module.ChangeButtons));
const WaitingChange = lazyPart(() => import('./payee-parts.tsx').then((module) => module.WaitingChange));
const NumberCell = lazyPart(() => import('./payee-parts.tsx').then((module) => module.NumberCell));
const Differences = lazyPart(() => import('./payee-parts.tsx').then((module) => module.Differences));
const Steps = lazyPart(() => import('./payee-parts.tsx').then((module) => module.TestSteps));
const SecretsPart = lazyPart(() => import('./payee-parts.tsx').then((module) => module.SecretsPart));

const DAY = 86_400_000;

const accountSlots: ScreenSlots = {
  cells: {
    number: (row) => <NumberCell row={row} />,
    certificateExpiresAt: (row) => <CertificateCell row={row} />,
    feeRate: (row) => <span className="k-number">{String(row.feeRate)} ‰</span>,
  },
  inputs: {
    certificate: (props) => <PemInput {...props} />,
    privateKey: (props) => <PemInput {...props} />,
  },
  actionScreens: {
    create: (props) => <PayeeForm {...props} />,
    update: (props) => <PayeeForm {...props} />,
    test: (props) => <TestDialog {...props} />,
  },
  detailAbove: (row) => <WaitingChange row={row} />,
  detailParts: [
    {
      key: 'secrets',
      label: ['密钥与证书', 'Keys and certificate'],
      render: (row) => <SecretsPart row={row} />,
    },
  ],
};

const assignmentSlots: ScreenSlots = {
  inputs: { businesses: (props) => <BusinessInput {...props} /> },
};

const changeSlots: ScreenSlots = {
  cells: {
    changes: (row) => <Differences changes={row.changes} />,
    state: (row) => <ChangeButtons row={row} />,
  },
};

/** Cells of tests, wherever a list of them stands. */
export const testSlots: ScreenSlots = { cells: { steps: (row) => <Steps steps={row.steps} /> } };

const PARTS = {
  accounts: ['账户', 'Accounts'],
  assignments: ['适用范围', 'Assignments'],
  which: ['试算', 'Which account'],
  changes: ['变更审批', 'Approvals'],
  coverage: ['覆盖', 'Coverage'],
  received: ['收款统计', 'Received'],
  flow: ['收款流水', 'Payments'],
} as const satisfies Readonly<Record<string, Label>>;

type Part = keyof typeof PARTS;

/** Accounts, what they are for, which one applies, and the changes that wait; with the reports over them. */
function PayeeScreen() {
  const text = useText();
  const view = useView();
  const wanted = view.query.get('part') ?? '';
  const part: Part = wanted in PARTS ? (wanted as Part) : 'accounts';
  // Filters of one list mean nothing to another.
  const show = (next: string) =>
    view.setQuery(new URLSearchParams(next === 'accounts' ? {} : { part: next }));
  return (
    <div className="payee-screen">
      <Tabs
        className="payee-tabs"
        size="small"
        activeKey={part}
        onChange={show}
        items={Object.entries(PARTS).map(([key, label]) => ({ key, label: text(label) }))}
      />
      <PartOf key={part} part={part} />
    </div>
  );
}

function PartOf({ part }: { readonly part: Part }) {
  switch (part) {
    case 'assignments':
      return (
        <ScreenOf
          contract={payeeAssignment}
          slots={{ ...assignmentSlots, createWith: { effectiveFrom: tomorrow() } }}
        />
      );
    case 'which':
      return <WhichAccount />;
    case 'changes':
      return <ScreenOf contract={payeeChange} slots={changeSlots} />;
    case 'coverage':
      return <Coverage />;
    case 'received':
      return <ScreenOf contract={payeeReceived} slots={receivedSlots} />;
    case 'flow':
      return <ScreenOf contract={payeeFlow} />;
    default:
      return <ScreenOf contract={payeeAccount} slots={accountSlots} />;
  }
}

const receivedSlots: ScreenSlots = { cells: { count: (row) => <CountLink row={row} /> } };

/** Payee accounts. */
export const screen = { contract: payeeAccount, component: PayeeScreen };

/** Midnight of the next business day. */
function tomorrow(): string {
  const day = new Date(Date.now() + 8 * 3_600_000 + DAY).toISOString().slice(0, 10);
  return `${day}T00:00:00+08:00`;
}

function CertificateCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const value = row.certificateExpiresAt as string | null;
  if (!value) return <>–</>;
  const days = Math.ceil((new Date(value).getTime() - Date.now()) / DAY);
  const tone = days <= 7 ? 'payee-red' : days <= 30 ? 'payee-amber' : '';
  return (
    <span className={tone} title={days <= 30 ? text([`剩余 ${days} 天`, `${days} days left`]) : undefined}>
      {value.slice(0, 10)}
    </span>
  );
}

/** Opens the entries behind a line of the report. */
function CountLink({ row }: { readonly row: RowData }) {
  const view = useView();
  const account = row.account as { readonly id: string } | null;
  const month = String(row.month);
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate();
  const open = () =>
    view.setQuery(
      new URLSearchParams({
        part: 'flow',
        account: account?.id ?? '',
        at: `${month}-01~${month}-${String(last).padStart(2, '0')}`,
      }),
    );
  return (
    <button type="button" className="k-link" onClick={open}>
      {String(row.count)}
    </button>
  );
}
