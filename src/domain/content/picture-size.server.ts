/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The size a PNG, GIF, WebP or JPEG says it has; undefined where it says none. */
export function pictureSize(file: Buffer): PictureSize | undefined {
  try {
    const start = file.toString('latin1', 0, 16);
    if (start.startsWith('\x89PNG')) return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
    if (start.startsWith('GIF8')) return { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
    if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return webpSize(file, start.slice(12));
    return start.startsWith('\xff\xd8') ? jpegSize(file) : undefined;
  } catch (error) {
    // It ends before it has said so.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function webpSize(file: Buffer, chunk: string): PictureSize | undefined {
  if (chunk === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ')
    return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = file.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Segments up to the one that begins the picture. */
function jpegSize(file: Buffer): PictureSize | undefined {
  for (let at = 2; ;) {
    if (file.readUInt8(at) !== 0xff) return undefined;
    const marker = file.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    else at += 2 + file.readUInt16BE(at + 2);
  }
}
