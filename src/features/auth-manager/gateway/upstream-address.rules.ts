/** Where an address lies: everybody may be sent to public ones, to private ones by leave, to forbidden ones never. */
export type AddressClass = 'public' | 'private' | 'forbidden';

type Range = readonly [network: readonly number[], bits: number];

const v4 = (text: string): number[] => text.split('.').map(Number);
const range4 = (text: string): Range => [v4(text.split('/')[0]!), Number(text.split('/')[1])];
const range6 = (text: string): Range => [bytes6(text.split('/')[0]!)!, Number(text.split('/')[1])];

// Link-local (metadata of most clouds), "this" network, multicast, reserved, and metadata addresses elsewhere.
const FORBIDDEN_4 = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200/32',
  '168.63.129.16/32',
].map(range4);
const PRIVATE_4 = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
].map(range4);
const FORBIDDEN_6 = ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', '2001::/32'].map(range6);
const PRIVATE_6 = ['::1/128', 'fc00::/7', 'fec0::/10'].map(range6);
// Addresses that carry an IPv4 one: it decides.
const CARRIERS: readonly (readonly [Range, number])[] = [
  [range6('::ffff:0:0/96'), 12],
  [range6('::/96'), 12],
  [range6('64:ff9b::/96'), 12],
  [range6('2002::/16'), 2],
];

/** The class of an IPv4 or IPv6 address; what is no address is forbidden. */
export function addressClass(text: string): AddressClass {
  const plain = text.split('%')[0]!.toLowerCase();
  if (/^\d+\.\d+\.\d+\.\d+$/.test(plain)) {
    const bytes = v4(plain);
    return bytes.some((byte) => byte > 255) ? 'forbidden' : classOf(bytes, FORBIDDEN_4, PRIVATE_4);
  }
  const bytes = bytes6(plain);
  if (!bytes) return 'forbidden';
  const own = classOf(bytes, FORBIDDEN_6, PRIVATE_6);
  if (own !== 'public') return own;
  const carrier = CARRIERS.find(([range]) => inside(bytes, range));
  return carrier ? classOf(bytes.slice(carrier[1], carrier[1] + 4), FORBIDDEN_4, PRIVATE_4) : 'public';
}

function classOf(bytes: readonly number[], forbidden: readonly Range[], own: readonly Range[]): AddressClass {
  if (forbidden.some((range) => inside(bytes, range))) return 'forbidden';
  return own.some((range) => inside(bytes, range)) ? 'private' : 'public';
}

function inside(bytes: readonly number[], [network, bits]: Range): boolean {
  for (let bit = 0; bit < bits; bit++) {
    const mask = 0x80 >> (bit & 7);
    if ((bytes[bit >> 3]! & mask) !== (network[bit >> 3]! & mask)) return false;
  }
  return true;
}

/** The 16 bytes of an IPv6 address, or undefined. */
function bytes6(text: string): number[] | undefined {
  const tail = /(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const last = tail ? v4(tail[1]!) : [];
  if (last.some((byte) => byte > 255)) return undefined;
  const hex = tail
    ? `${text.slice(0, tail.index)}${((last[0]! << 8) | last[1]!).toString(16)}:${((last[2]! << 8) | last[3]!).toString(16)}`
    : text;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const groups = (half: string | undefined) => (half ? half.split(':') : []);
  const [before, after] = [groups(halves[0]), groups(halves[1])];
  const missing = 8 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
}
