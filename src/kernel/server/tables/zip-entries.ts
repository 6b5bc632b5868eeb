import { createInflateRaw, inflateRawSync } from 'node:zlib';
import { Readable } from 'node:stream';

/** One file inside a zip archive. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  /** Size the archive claims; only a hint, never trusted. */
  readonly size: number;
  readonly packed: Buffer;
}

/** The archive is damaged, encrypted, too big, or uses what ordinary tables never use. */
export class BadArchive extends Error {}

/** Lists the entries of a zip archive held in memory, at most 2,000. Nothing is unpacked. Throws BadArchive. */
export function zipEntries(archive: Buffer): ReadonlyMap<string, ZipEntry> {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (count > 2_000) throw new BadArchive('too many entries');
  const entries = new Map<string, ZipEntry>();
  for (let index = 0; index < count; index++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== 0x02014b50)
      throw new BadArchive('directory is damaged');
    const flags = archive.readUInt16LE(at + 8);
    const method = archive.readUInt16LE(at + 10);
    const packedSize = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (flags & 1) throw new BadArchive('encrypted');
    if (method !== 0 && method !== 8) throw new BadArchive('unknown compression');
    const local = archive.readUInt32LE(at + 42);
    if (local + 30 > archive.length || archive.readUInt32LE(local) !== 0x04034b50)
      throw new BadArchive('entry is damaged');
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    if (start + packedSize > archive.length) throw new BadArchive('entry is cut off');
    // A second entry of the same name is how one reader is shown something else than the next.
    if (entries.has(name)) throw new BadArchive('two entries of one name');
    entries.set(name, {
      name,
      method,
      size: archive.readUInt32LE(at + 24),
      packed: archive.subarray(start, start + packedSize),
    });
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

/** Unpacks a small entry. Throws BadArchive beyond `limit` bytes, whatever size the archive claims. */
export function unzipSmall(entry: ZipEntry, limit: number): Buffer {
  if (entry.method === 0) {
    if (entry.packed.length > limit) throw new BadArchive('entry is too large');
    return entry.packed;
  }
  try {
    return inflateRawSync(entry.packed, { maxOutputLength: limit });
  } catch (cause) {
    throw new BadArchive('entry is too large or damaged', { cause });
  }
}

/** Unpacks an entry piece by piece as text. Throws BadArchive beyond `limit` bytes; reading may be given up any time. */
export async function* unzipText(entry: ZipEntry, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let size = 0;
  const source = entry.method === 0 ? Readable.from([entry.packed]) : inflating(entry.packed);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new BadArchive('entry is too large');
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    throw cause instanceof BadArchive ? cause : new BadArchive('entry is damaged', { cause });
  } finally {
    source.destroy();
  }
}

function inflating(packed: Buffer): Readable {
  const inflate = createInflateRaw({ chunkSize: 128 * 1024 });
  inflate.end(packed);
  return inflate;
}

function findEnd(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0 && at >= archive.length - 22 - 0xffff; at--)
    if (archive.readUInt32LE(at) === 0x06054b50) return at;
  throw new BadArchive('not a zip archive');
}
