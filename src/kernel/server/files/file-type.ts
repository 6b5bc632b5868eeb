import { BadArchive, zipEntries } from '../tables/zip-entries.ts';

/** A type of file that may be uploaded. */
export interface FileType {
  readonly type: string;
  /** Ending with the dot. */
  readonly ending: string;
  readonly kind: 'image' | 'document' | 'video';
}

const IMAGE = (type: string, ending: string): FileType => ({ type, ending, kind: 'image' });
const OFFICE = 'application/vnd.openxmlformats-officedocument';

/**
 * The type of a file by its content, or undefined when it is none of the accepted ones. The name and the type the browser
 * claims are never asked. SVG and HTML can carry script and are not accepted, archives and old Office files neither.
 * `content` is the whole file for Office documents, otherwise its beginning is enough.
 */
export function fileTypeOf(content: Buffer): FileType | undefined {
  const latin = content.toString('latin1', 0, 16);
  if (latin.startsWith('\x89PNG\r\n\x1a\n')) return IMAGE('image/png', '.png');
  if (latin.startsWith('\xff\xd8\xff')) return IMAGE('image/jpeg', '.jpg');
  if (latin.startsWith('GIF87a') || latin.startsWith('GIF89a')) return IMAGE('image/gif', '.gif');
  if (latin.startsWith('RIFF') && latin.slice(8, 12) === 'WEBP') return IMAGE('image/webp', '.webp');
  if (latin.startsWith('%PDF-')) return { type: 'application/pdf', ending: '.pdf', kind: 'document' };
  if (latin.slice(4, 8) === 'ftyp' && MP4_BRANDS.has(latin.slice(8, 12)))
    return { type: 'video/mp4', ending: '.mp4', kind: 'video' };
  if (latin.startsWith('PK\x03\x04')) return officeTypeOf(content);
  return undefined;
}

/** True when the beginning says that the whole content is needed to know the type. */
export function needsWholeFile(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PK\x03\x04';
}

/** A name as it may be shown and offered when saving: no path, no control or direction characters, ending by type. */
export function safeFileName(name: string, ending: string): string {
  const last = name.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '')
    .replace(/\.[^.]*$/, '')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return `${Array.from(clean).slice(0, 100).join('') || 'file'}${ending}`;
}

const MP4_BRANDS = new Set([
  'isom',
  'iso2',
  'iso4',
  'iso5',
  'iso6',
  'mp41',
  'mp42',
  'avc1',
  'M4V ',
  'dash',
  'MSNV',
]);

function officeTypeOf(content: Buffer): FileType | undefined {
  try {
    const names = [...zipEntries(content).keys()];
    if (!names.includes('[Content_Types].xml')) return undefined;
    // Macros run when the document is opened.
    if (names.some((name) => /vbaProject\.bin$/i.test(name))) return undefined;
    if (names.some((name) => name.startsWith('xl/')))
      return { type: `${OFFICE}.spreadsheetml.sheet`, ending: '.xlsx', kind: 'document' };
    if (names.some((name) => name.startsWith('word/')))
      return { type: `${OFFICE}.wordprocessingml.document`, ending: '.docx', kind: 'document' };
    return undefined;
  } catch (error) {
    if (error instanceof BadArchive || error instanceof RangeError) return undefined;
    throw error;
  }
}
