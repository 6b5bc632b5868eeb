import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { commentSlots } from '../../../domain/content/emoji/emojied.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { activity } from './activity.contract.ts';

const Signups = lazyPart(() => import('./activity-parts.tsx').then((module) => module.Signups));
const Comments = lazyPart(() => import('./activity-parts.tsx').then((module) => module.Comments));
const CheckInCode = lazyPart(() => import('./check-in-code.tsx').then((module) => module.CheckInCode));

function Cost({ value }: { readonly value: unknown }) {
  const text = useText();
  return value === null || value === undefined ? (
    <span>{text(['免费', 'Free'])}</span>
  ) : (
    <MoneyText value={String(value)} />
  );
}

function Limit({ value }: { readonly value: unknown }) {
  const text = useText();
  return <span>{Number(value) === 0 ? text(['不限', 'None']) : String(value)}</span>;
}

const slots: ScreenSlots = {
  parts: { comments: commentSlots },
  inputs: inputsWhen(activity.fields, {
    groups: (values) => values.audience === 'group',
    cost: (values) => values.free === false,
    cancelHours: (values) => values.cancellable !== false,
  }),
  cells: {
    cost: (row) => <Cost value={row.cost} />,
    personLimit: (row) => <Limit value={row.personLimit} />,
  },
  actionScreens: {
    signups: (props) => <Signups {...props} />,
    comments: (props) => <Comments {...props} />,
    qr: (props) => <CheckInCode {...props} />,
  },
};

function ActivityScreen() {
  return <ScreenOf contract={activity} slots={slots} />;
}

/** 活动发布: the default list; sign-ups and the check-in code open over it. */
export const screen = { contract: activity, component: ActivityScreen };
