import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { MultipartFile } from '@fastify/multipart';
import { invalid, type Refusal } from '../http/errors.ts';
import { FileTooLarge, type FileDraft } from './disk-store.ts';
import { openFileStore } from './file-store.ts';
import type { Platform } from '../platform.ts';

/** Largest uploaded file in bytes, whatever it is for. */
export const UPLOAD_BYTES = 20 * 1024 * 1024;

/** The one file of a multipart request as a draft in the store, with its name and the other fields. */
export interface Upload {
  readonly draft: FileDraft;
  readonly name: string;
  readonly fields: MultipartFile['fields'];
}

/** Uploads that were read before their handler ran. */
const early = new WeakMap<FastifyRequest, Upload>();

/** Takes the one file part of a multipart request. Throws 422 when there is none or it is too large. */
export async function receiveFile(
  platform: Platform,
  request: FastifyRequest,
  limit: number,
): Promise<Upload> {
  const read = early.get(request);
  if (!read) return readFile(platform, request, limit);
  early.delete(request);
  if (read.draft.size() <= limit) return read;
  await read.draft.discard();
  throw tooLarge(limit);
}

/**
 * Reads the upload of a request before its handler runs and says what was sent: a text that is equal for equal content,
 * whatever the boundary between the parts. The handler finds the upload by {@link receiveFile}; {@link dropUpload}
 * removes what it left.
 */
export async function digestOfUpload(platform: Platform, request: FastifyRequest): Promise<string> {
  const upload = await readFile(platform, request, UPLOAD_BYTES);
  early.set(request, upload);
  const hash = createHash('sha256');
  hash.update(JSON.stringify([upload.name, upload.draft.size()])).update(upload.draft.sha256());
  for (const name of Object.keys(upload.fields).sort())
    for (const part of [upload.fields[name]].flat())
      if (part?.type === 'field') hash.update(JSON.stringify([name, String(part.value)]));
  return hash.digest('hex');
}

/** Removes an upload nobody took. */
export async function dropUpload(request: FastifyRequest): Promise<void> {
  const upload = early.get(request);
  early.delete(request);
  await upload?.draft.discard();
}

/** 422: larger than the given number of bytes. */
export function tooLarge(limit: number): Refusal {
  const size = Math.floor(limit / 1024 / 1024);
  return invalid({ file: [`文件不能超过${size}MB`, `The file must not be larger than ${size} MB`] });
}

async function readFile(platform: Platform, request: FastifyRequest, limit: number): Promise<Upload> {
  if (!request.isMultipart?.()) throw invalid({ file: ['请选择文件', 'Please choose a file'] });
  // The limits end a hostile form early: one file, few short fields.
  const part = await request
    .file({
      limits: { files: 1, fields: 5, fieldSize: 20_000, parts: 6, headerPairs: 20, fileSize: limit + 1 },
      throwFileSizeLimit: false,
    })
    .catch(() => undefined);
  if (!part || part.fieldname !== 'file') throw invalid({ file: ['请选择文件', 'Please choose a file'] });
  const draft = await openFileStore(platform.config).create(limit);
  try {
    await pipeline(part.file, draft.stream);
  } catch (error) {
    await draft.discard();
    if (error instanceof FileTooLarge) throw tooLarge(limit);
    throw invalid({ file: ['上传中断，请重试', 'The upload was interrupted, please try again'] });
  }
  return { draft, name: part.filename ?? '', fields: part.fields };
}
