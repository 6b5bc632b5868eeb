/** A file of an archive. */
export interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

const little = (value: number, size: number) =>
  Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** index) % 256);

/** An archive of files as they are: pictures are packed already. Names are UTF-8. */
export function zipOf(parts: readonly ZipPart[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  const push = (into: Uint8Array[], ...more: readonly (readonly number[] | Uint8Array)[]) => {
    for (const one of more) into.push(Uint8Array.from(one));
  };
  for (const { name, bytes } of parts) {
    const title = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, stored, 1 January 1980.
    const head = [
      ...little(20, 2),
      ...little(0x0800, 2),
      ...little(0, 2),
      ...little(0, 2),
      ...little(33, 2),
      ...little(checksum(bytes), 4),
      ...little(bytes.length, 4),
      ...little(bytes.length, 4),
      ...little(title.length, 2),
      ...little(0, 2),
    ];
    push(pieces, [...little(0x04034b50, 4), ...head], title, bytes);
    push(
      entries,
      [
        ...little(0x02014b50, 4),
        ...little(20, 2),
        ...head,
        ...little(0, 2),
        ...little(0, 2),
        ...little(0, 2),
        ...little(0, 4),
        ...little(at, 4),
      ],
      title,
    );
    at += 30 + title.length + bytes.length;
  }
  const size = entries.reduce((sum, one) => sum + one.length, 0);
  const end = Uint8Array.from([
    ...little(0x06054b50, 4),
    ...little(0, 4),
    ...little(parts.length, 2),
    ...little(parts.length, 2),
    ...little(size, 4),
    ...little(at, 4),
    ...little(0, 2),
  ]);
  const all = [...pieces, ...entries, end];
  const out = new Uint8Array(all.reduce((sum, one) => sum + one.length, 0));
  let to = 0;
  for (const one of all) {
    out.set(one, to);
    to += one.length;
  }
  return out;
}
