import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { infoPush } from './info-push.contract.ts';

const PushReach = lazyPart(() => import('./push-parts.tsx').then((module) => module.PushReach));
const PushFunnel = lazyPart(() => import('./push-parts.tsx').then((module) => module.PushFunnel));
const PhonePreview = lazyPart(() => import('./push-parts.tsx').then((module) => module.PhonePreview));
const BodyInput = lazyPart(() => import('./push-parts.tsx').then((module) => module.BodyInput));
const WhenInput = lazyPart(() => import('./push-parts.tsx').then((module) => module.WhenInput));

/** The one target of the jump that was chosen. */
const to = (jump: string) => (values: Readonly<Record<string, unknown>>) => values.jump === jump;

const slots: ScreenSlots = {
  inputs: {
    ...inputsWhen(infoPush.fields, {
      jumpFamilyPost: to('family'),
      jumpChamberPost: to('chamber'),
      jumpActivity: to('activity'),
      jumpTopic: to('topic'),
      jumpGroupPost: to('group_post'),
      jumpNotice: to('notice'),
      jumpProduct: to('product'),
      jumpUrl: to('url'),
      phones: (values) => values.audience === 'phones',
      sendAt: (values) => values.schedule === 'at',
      urgentReason: (values) => values.urgent === true,
    }),
    body: (props) => <BodyInput {...props} />,
    schedule: (props) => <WhenInput {...props} />,
  },
  dialogAbove: {
    submit: (row) => <PushReach row={row} />,
    approve: (row) => <PushReach row={row} />,
  },
  detailParts: [
    { key: 'funnel', label: ['漏斗', 'Funnel'], render: (row) => <PushFunnel row={row} /> },
    {
      key: 'preview',
      label: ['手机预览', 'Preview'],
      render: (row) => <PhonePreview title={String(row.name)} body={String(row.body)} />,
    },
  ],
};

/** Pushes: the default list, with the phone and the count while one is written. */
function InfoPushScreen() {
  return <ScreenOf contract={infoPush} slots={slots} />;
}

/** Message push. */
export const screen = { contract: infoPush, component: InfoPushScreen };
