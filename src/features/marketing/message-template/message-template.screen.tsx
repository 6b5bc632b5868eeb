import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { Channels } from '../channel-names.tsx';
import { messageTemplate } from './message-template.contract.ts';

const Previews = lazyPart(() => import('./template-parts.tsx').then((module) => module.Previews));
const SmsInput = lazyPart(() => import('./template-parts.tsx').then((module) => module.SmsInput));

/** Names of variables as they stand in texts. */
function VariableNames({ value }: { readonly value: string }) {
  const text = useText();
  return (
    <>
      {value
        .split(' ')
        .filter((one) => one !== '')
        .map((one) => `{{${one}}}`)
        .join(text(['、', ', ']))}
    </>
  );
}

const slots: ScreenSlots = {
  cells: {
    channels: (row) => <Channels value={row.channels} />,
    variableNames: (row) => <VariableNames value={String(row.variableNames ?? '')} />,
  },
  inputs: {
    smsBody: (props) => <SmsInput {...props} />,
  },
  detailParts: [{ key: 'preview', label: ['预览', 'Preview'], render: (row) => <Previews row={row} /> }],
};

/** Templates, their add, edit and detail pages. */
function TemplateScreen() {
  return <ScreenOf contract={messageTemplate} slots={slots} />;
}

/** Templates of messages. */
export const screen = { contract: messageTemplate, component: TemplateScreen };
