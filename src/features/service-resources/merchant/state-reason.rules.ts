import type { Label } from '../../../kernel/contract/label.ts';
import { REVIEWED } from './merchant.contract.ts';

type Reviewed = keyof typeof REVIEWED;

const TO_CORRECT: Label = ['需修改：', 'To correct: '];
/** What the product itself gives as a reason. */
export const AGREEMENT_ENDED: Label = ['协议到期', 'The agreement ended'];
export const AGREEMENT_TERMINATED: Label = ['协议终止', 'The agreement was terminated'];

/** What an applicant corrects, before the reason of the reviewer, as it is kept. */
export const toCorrect = (fields: readonly Reviewed[]): string =>
  `${TO_CORRECT[0]}${fields.map((name) => REVIEWED[name].label[0]).join('、')}。`;

/** A kept reason in both languages: the words of the product translated, those of people as they wrote them. */
export function stateReasonLabel(kept: string): Label {
  const own = [AGREEMENT_ENDED, AGREEMENT_TERMINATED].find((label) => label[0] === kept);
  if (own) return own;
  const match = /^需修改：([^。]+)。/.exec(kept);
  const labels = Object.values(REVIEWED).map((one) => one.label);
  const fields = match?.[1]!.split('、').map((word) => labels.find((label) => label[0] === word));
  if (!match || !fields?.every((label) => label !== undefined)) return [kept, kept];
  const named = fields.map((label) => label[1]).join(', ');
  return [kept, `${TO_CORRECT[1]}${named.replace(/\.$/, '')}. ${kept.slice(match[0].length)}`];
}
