/**
 * What counts as one address in limits: an IPv4 address, or the first 64 bits of an IPv6 one. One customer has a whole
 * /64 to itself and could take a new address for every try.
 */
export function networkOf(address: string): string {
  const plain = address.split('%')[0]!.toLowerCase();
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(plain);
  if (mapped) return mapped[1]!;
  if (!plain.includes(':')) return address;
  // Two groups stand for an IPv4 tail, so that the places before it count right.
  const [head = '', tail] = plain.replace(/\d+(\.\d+){3}$/, '0:0').split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const gap = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const first = [...before, ...gap, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${first.join(':')}::/64`;
}
