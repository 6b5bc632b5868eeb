import { expect, test } from 'vitest';
import { stateReasonLabel, toCorrect } from './state-reason.rules.ts';

test('what is to be corrected reads in both languages, the words of people as they were written', () => {
  expect(stateReasonLabel(`${toCorrect(['licenceNo', 'qualifications'])}仍不清晰`)).toEqual([
    '需修改：执照号、资质图片。仍不清晰',
    'To correct: Licence no., Qualification images. 仍不清晰',
  ]);
  expect(stateReasonLabel(toCorrect(['licenceNo']))[1]).toBe('To correct: Licence no. ');
  expect(stateReasonLabel('协议到期')).toEqual(['协议到期', 'The agreement ended']);
  for (const said of ['食品经营许可到期，暂停营业', '需修改：门头照。请重拍', '需修改：执照号'])
    expect(stateReasonLabel(said)).toEqual([said, said]);
});
