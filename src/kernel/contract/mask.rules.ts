/** How a personal value is hidden. Source: specification section 5, masking modes 1 to 4. */
export type MaskMode = 'name' | 'phone' | 'idNumber' | 'email';

/**
 * Hides a personal value.
 * name: two characters keep the first, three keep first and last, four and more keep first and last;
 * phone: spaces and one hyphen removed, first 3 and last 4 kept; idNumber: first 6 and last 4 kept;
 * email: first character, three stars, the domain part. Empty input stays empty.
 */
export function maskValue(mode: MaskMode, value: string): string {
  if (value === '') return value;
  switch (mode) {
    case 'name': {
      // Two or three characters are most names; surrogates need the careful way.
      if (value.length === 2 && !SURROGATE.test(value)) return `${value[0]}*`;
      if (value.length === 3 && !SURROGATE.test(value)) return `${value[0]}*${value[2]}`;
      const characters = Array.from(value);
      if (characters.length === 1) return '*';
      if (characters.length === 2) return `${characters[0]}*`;
      return `${characters[0]}${'*'.repeat(characters.length - 2)}${characters[characters.length - 1]}`;
    }
    case 'phone': {
      const digits = value.replace(/\s/g, '').replace('-', '');
      // Too short to keep seven characters without showing the whole number.
      if (digits.length < 8) return `${digits.slice(0, 1)}****`;
      return `${digits.slice(0, 3)}****${digits.slice(-4)}`;
    }
    case 'idNumber':
      if (value.length < 11) return `${value.slice(0, 1)}********`;
      return `${value.slice(0, 6)}********${value.slice(-4)}`;
    case 'email': {
      const at = value.lastIndexOf('@');
      if (at < 1) return '***';
      return `${value.slice(0, 1)}***${value.slice(at)}`;
    }
  }
}

const SURROGATE = /[\ud800-\udfff]/;
