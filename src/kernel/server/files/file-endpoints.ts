import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { runOne, transaction } from '../database.ts';
import { invalid, Refusal, tooMany } from '../http/errors.ts';
import type { FileDraft } from './disk-store.ts';
import { openFileStore } from './file-store.ts';
import { fileNotFound, fileReader, isTicketGood, setFileCookie } from './file-ticket.ts';
import { fileTypeOf, needsWholeFile, safeFileName, type FileType } from './file-type.ts';
import { fileValue, findStoredFile, insertStoredFile, type StoredFile } from './files.ts';
import { failureFacts } from '../http/failure-facts.ts';
import type { Platform } from '../platform.ts';
import { defineRegistration, endpoint, type Call } from '../registration.ts';
import { isUuid } from '../tasks/task-centre.ts';
import { receiveFile, tooLarge, UPLOAD_BYTES } from './upload.ts';

/** Largest picture in bytes. */
export const IMAGE_BYTES = 10 * 1024 * 1024;

/** Files and bytes a staff may upload in an hour: what nobody attaches would fill the disk all the same. */
export const UPLOADS_PER_HOUR = 500;
export const UPLOAD_BYTES_PER_HOUR = 1024 ** 3;

/** Upload and download of files. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/file',
      title: ['上传文件', 'Upload a file'],
      access: 'staff',
      upload: true,
      handle: upload,
    }),
    endpoint({
      method: 'GET',
      path: '/file/:id',
      title: ['读取文件', 'Read a file'],
      // No Authorization header comes with an <img>: file cookie and ticket decide, see file-ticket.ts.
      access: 'public',
      query: z.strictObject({ ticket: z.string().max(100).optional() }),
      rawReply: true,
      handle: download,
    }),
  ],
});

/** Sends a stored file with headers that keep it from running as a page of this site. */
export async function sendFile(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  file: Pick<StoredFile, 'name' | 'type' | 'size' | 'sha256' | 'storage_key' | 'access'>,
): Promise<FastifyReply> {
  const shown = /^(image|video)\//.test(file.type);
  const tag = `"${file.sha256.toString('base64url')}"`;
  reply
    .header('Content-Type', file.type)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .header('Cross-Origin-Resource-Policy', 'same-origin')
    .header('Referrer-Policy', 'no-referrer')
    .header(
      'Cache-Control',
      file.access === 'picture' ? 'private, max-age=86400, immutable' : 'private, no-store',
    )
    .header(
      'Content-Disposition',
      `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeName(file.name)}`,
    )
    .header('Accept-Ranges', 'bytes')
    .header('ETag', tag);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  const range = rangeOf(request.headers.range, file.size);
  const stream = await openFileStore(platform.config)
    .read(file.storage_key, range)
    .catch((error: unknown) => {
      platform.log.error(
        { err: failureFacts((error as Error).cause ?? error), storageKey: file.storage_key },
        'a stored file cannot be read',
      );
      throw error instanceof Refusal ? error : fileNotFound();
    });
  if (range) reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  return reply.header('Content-Length', range ? range.end - range.start + 1 : file.size).send(stream);
}

async function upload(call: Call): Promise<unknown> {
  const { platform, caller } = call;
  await checkRate(call);
  const { draft, name } = await receiveFile(platform, call.request, UPLOAD_BYTES);
  try {
    const type = await typeOf(draft);
    if (!type) throw invalid({ file: ['不支持此类文件', 'Files of this type are not accepted'] });
    if (type.kind === 'image' && draft.size() > IMAGE_BYTES) throw tooLarge(IMAGE_BYTES);
    const file = {
      ...(await draft.commit()),
      name: safeFileName(name, type.ending),
      type: type.type,
      access: type.kind === 'image' ? ('picture' as const) : ('private' as const),
      owner_id: caller.staffId,
    };
    const id = await transaction(platform.database.db, (tx) => insertStoredFile(tx, file));
    setFileCookie(platform.config, caller, call.request, call.reply);
    return fileValue(platform, caller, { ...file, id });
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

/** Throws 429 beyond what a staff may upload in an hour. */
async function checkRate({ platform, caller }: Pick<Call, 'platform' | 'caller'>): Promise<void> {
  const recent = await runOne<{ files: number; bytes: number; wait: number | null }>(
    platform.database.db,
    `SELECT count(*) AS files, coalesce(sum(size), 0)::float8 AS bytes,
            extract(epoch FROM min(created_at) + interval '1 hour' - now())::float8 AS wait
       FROM stored_file WHERE owner_id = $1 AND created_at > now() - interval '1 hour'`,
    [caller.staffId],
  );
  if (recent!.files < UPLOADS_PER_HOUR && recent!.bytes < UPLOAD_BYTES_PER_HOUR) return;
  throw tooMany(
    [
      `每小时最多上传${UPLOADS_PER_HOUR}个文件、共1GB，请稍后再试`,
      `At most ${UPLOADS_PER_HOUR} files and 1 GB an hour, please try again later`,
    ],
    recent!.wait ?? 60,
  );
}

async function typeOf(draft: FileDraft): Promise<FileType | undefined> {
  if (!needsWholeFile(draft.head())) return fileTypeOf(draft.head());
  return fileTypeOf(await buffer(createReadStream(draft.path)));
}

async function download(call: Call<{ ticket?: string | undefined }>): Promise<unknown> {
  const { platform, request } = call;
  const id = call.params.id ?? '';
  const reader = await fileReader(platform, request);
  if (!reader || !isUuid(id)) throw fileNotFound();
  const file = await findStoredFile(platform.database.db, id);
  if (!file) throw fileNotFound();
  const allowed =
    file.access === 'picture' ||
    file.owner_id === reader.staffId ||
    isTicketGood(platform.config, reader.sessionId, `file:${id}`, call.query.ticket);
  if (!allowed || (await isOfTask(platform, file))) throw fileNotFound();
  return sendFile(platform, request, call.reply, file);
}

/** Files of the task centre leave by their task's address alone, which looks at the rights of the moment. */
async function isOfTask(
  platform: Call['platform'],
  file: { readonly id: string; readonly access: string; readonly owner_id: number | null },
): Promise<boolean> {
  if (file.access === 'picture') return false;
  const task = await runOne(platform.database.db, 'SELECT 1 FROM task WHERE staff_id = $1 AND file_id = $2', [
    file.owner_id,
    file.id,
  ]);
  return task !== undefined;
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** One range as films ask for it; anything else gets the whole file. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match) return undefined;
  const start = Number(match[1]);
  const end = match[2] ? Math.min(Number(match[2]), size - 1) : size - 1;
  return start <= end && start < size ? { start, end } : undefined;
}
