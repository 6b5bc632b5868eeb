import type { Fields } from '../../contract/fields.ts';
import { maskValue, type MaskMode } from '../../contract/mask.rules.ts';
import type { Endpoint, Registration } from '../registration.ts';
import { isSecretName, STARS, withoutPersonal } from './log-value.rules.ts';

/** Bytes of a query or body that are kept. Source: group 09, gateLogManager. */
const KEPT_BYTES = 4_096;
const MAX_ENTRIES = 500;

/** Names that are a person's wherever they stand. */
const PERSON =
  /^(receiver|consignee|payee|holder|visitor|contact|member|owner|real|resident|customer|legal)\w*name$|^consignee$/i;

/** Turns what a call was given into text for a log: secrets as stars, personal values masked, 4 KB at most. */
export function inputLogger(
  registrations: readonly Registration[],
): (endpoint: Endpoint | undefined, path: string, value: unknown) => string {
  const everywhere = new Map<string, MaskMode>();
  const ofEndpoint = new Map<Endpoint, ReadonlyMap<string, MaskMode>>();
  for (const { contract, endpoints } of registrations) {
    const masks = new Map<string, MaskMode>();
    if (contract?.archetype === 'resource') {
      collect(contract.fields, masks);
      for (const spec of Object.values(contract.actions ?? {})) collect(spec.input ?? {}, masks);
    }
    for (const [name, mode] of masks) if (name !== 'name') everywhere.set(name, mode);
    for (const one of endpoints) ofEndpoint.set(one, masks);
  }
  const none = new Map<string, MaskMode>();
  return (endpoint, path, value) => {
    if (value === null || value === undefined || value === '') return '';
    if (typeof value === 'object' && Object.keys(value).length === 0) return '';
    const own = (endpoint && ofEndpoint.get(endpoint)) ?? none;
    const isSignIn = path.includes('/auth/');
    let left = MAX_ENTRIES;
    const clean = (name: string, one: unknown, depth: number): unknown => {
      if (--left < 0 || depth > 6) return '…';
      if (one === null || typeof one === 'boolean') return one;
      if (isSecretName(name)) return STARS;
      if (Array.isArray(one)) return one.slice(0, 100).map((inner) => clean(name, inner, depth + 1));
      if (typeof one === 'object')
        return Object.fromEntries(
          Object.entries(one).map(([key, inner]) => [key.slice(0, 60), clean(key, inner, depth + 1)]),
        );
      const text = String(one);
      // What somebody was sent to prove who he is.
      if (/code$/i.test(name) && (isSignIn || /^\d{4,8}$/.test(text))) return STARS;
      const mode = own.get(name) ?? everywhere.get(name) ?? (PERSON.test(name) ? 'name' : undefined);
      if (mode) return maskValue(mode, text);
      // The keyword of a list of people is mostly a name.
      if (name === 'searchVal' && [...own.values()].includes('name') && !/\d/.test(text))
        return maskValue('name', text);
      if (typeof one === 'number') return withoutPersonal(text) === text ? one : withoutPersonal(text);
      return withoutPersonal(text)
        .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9+/_=.-]{8,}/gi, `$1 ${STARS}`)
        .slice(0, 1_000);
    };
    return cut(JSON.stringify(clean('', value, 0)));
  };
}

function collect(fields: Fields, masks: Map<string, MaskMode>): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.mask) masks.set(name, field.mask);
    if (field.lines) collect(field.lines, masks);
  }
}

/** The beginning of a text that fits, never half of a character. */
function cut(text: string): string {
  const storable = text.replaceAll('\u0000', '').toWellFormed();
  if (Buffer.byteLength(storable) <= KEPT_BYTES) return storable;
  const bytes = Buffer.from(storable).subarray(0, KEPT_BYTES - 3);
  return `${bytes.toString('utf8').replace(/\ufffd+$/, '')}…`;
}
