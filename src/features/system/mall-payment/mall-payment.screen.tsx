import './mall-payment.css';
import { Tabs } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { APP_ID_FIELDS } from '../../../domain/payee/payee.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { channelCall, mallPayment, mallSandbox } from './mall-payment.contract.ts';

const KeyMarks = lazyPart(() => import('./mall-parts.tsx').then((module) => module.KeyMarks));
const PemArea = lazyPart(() => import('./mall-parts.tsx').then((module) => module.PemArea));

const AppIdField = lazyPart(() => import('./mall-parts.tsx').then((module) => module.AppIdField));

const accountSlots: ScreenSlots = {
  inputs: {
    ...Object.fromEntries(
      ['apiKey', 'certificate', 'privateKey', 'publicKey'].map((name) => [
        name,
        (props) => <PemArea {...props} name={name} />,
      ]),
    ),
    ...Object.fromEntries(
      Object.keys(APP_ID_FIELDS).map((name) => [name, (props) => <AppIdField {...props} />]),
    ),
  },
  detailParts: [
    { key: 'keys', label: ['密钥与证书', 'Keys and certificate'], render: (row) => <KeyMarks row={row} /> },
  ],
};

const PARTS = {
  alipay: ['支付宝', 'Alipay'],
  wechat: ['微信', 'WeChat'],
  sandbox: ['沙箱', 'Sandbox'],
  calls: ['渠道调用', 'Channel calls'],
} as const satisfies Readonly<Record<string, Label>>;

type Part = keyof typeof PARTS;

/** Where a part stands: the accounts of a channel are a tab of their list, the others lists of their own. */
const QUERIES: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  alipay: {},
  wechat: { tab: 'wechat' },
  sandbox: { part: 'sandbox' },
  calls: { part: 'calls' },
};

function partOf(query: URLSearchParams): Part {
  const part = query.get('part');
  if (part === 'sandbox' || part === 'calls') return part;
  return query.get('tab') === 'wechat' ? 'wechat' : 'alipay';
}

/** Accounts of the mall by channel, the sandbox, and what the channels were asked and told. */
function MallPaymentScreen() {
  const text = useText();
  const view = useView();
  const part = partOf(view.query);
  return (
    <div className="mp-screen">
      <Tabs
        className="mp-tabs"
        size="small"
        activeKey={part}
        // Filters of one list mean nothing to another.
        onChange={(next) => view.setQuery(new URLSearchParams(QUERIES[next as Part]))}
        items={Object.entries(PARTS).map(([key, label]) => ({ key, label: text(label) }))}
      />
      {part === 'calls' ? (
        <ScreenOf contract={channelCall} />
      ) : part === 'sandbox' ? (
        <ScreenOf contract={mallSandbox} />
      ) : (
        <ScreenOf key={part} contract={mallPayment} slots={accountSlots} />
      )}
    </div>
  );
}

/** Payment of the mall. */
export const screen = { contract: mallPayment, component: MallPaymentScreen };
