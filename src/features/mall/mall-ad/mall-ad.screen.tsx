import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { mallAd } from './mall-ad.contract.ts';

const inner = (values: Readonly<Record<string, unknown>>) => values.jump === 'inner';

/** What a click opens is asked for by the kind of jump. */
const slots = {
  inputs: inputsWhen(mallAd.fields, {
    innerClass: inner,
    product: inner,
    url: (values) => values.jump === 'url',
  }),
};

/** 商城广告位. */
export const screen = {
  contract: mallAd,
  component: () => <ScreenOf contract={mallAd} slots={slots} />,
};
