import type { Label } from '../../kernel/contract/label.ts';

/** Kinds of organisations, from the top down. */
export type OrganisationKind = 'company' | 'centre_city' | 'management_unit';

/** Most companies on one path: a group, its companies, theirs. */
export const COMPANY_LEVELS = 3;

export const WRONG_PARENT: Label = ['上级类型不正确', 'Wrong kind of parent'];
export const NAME_TAKEN: Label = ['同级名称重复', 'Name already used on this level'];
export const CITY_TAKEN: Label = ['该城市已设中心城市', 'City already has a centre'];
export const LICENCE_TAKEN: Label = ['执照号已存在', 'Licence exists'];
export const BAD_LICENCE: Label = ['统一社会信用代码不正确', 'Invalid credit code'];

/** What may stand right below an organisation of a kind; `undefined` is the top. */
export function kindsBelow(kind: OrganisationKind | undefined): readonly OrganisationKind[] {
  switch (kind) {
    case undefined:
      return ['company'];
    case 'company':
      return ['centre_city', 'company'];
    case 'centre_city':
      return ['management_unit'];
    case 'management_unit':
      return [];
  }
}

const LICENCE_CHARACTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';

/** The check character of a unified social credit code by its first 17 characters. Source: GB 32100-2015. */
export function licenceCheck(first: string): string {
  let sum = 0;
  let weight = 1;
  for (const character of first.slice(0, 17)) {
    sum += LICENCE_CHARACTERS.indexOf(character) * weight;
    weight = (weight * 3) % 31;
  }
  return LICENCE_CHARACTERS[(31 - (sum % 31)) % 31]!;
}

/** True for a unified social credit code of 18 characters whose check character fits. */
export function isLicenceNo(text: string): boolean {
  return /^[0-9A-HJ-NPQRTUWXY]{18}$/.test(text) && licenceCheck(text) === text[17];
}
