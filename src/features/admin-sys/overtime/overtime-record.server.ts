import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import {
  checkAttachable,
  fileValue,
  type StoredFile,
  showFiles,
} from '../../../kernel/server/files/files.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { overtimeRecord } from './overtime-record.contract.ts';
import { overtimeApproval } from './overtime-approval.server.ts';
import { changeOvertime, recordOvertime, staffInScope } from './overtime-commands.server.ts';
import type { OvertimeDraft } from './overtime-limits.server.ts';
import { overtimeImport } from './overtime-import.server.ts';
import { overtimeSights, RECORD_SCOPE } from './overtime-sights.server.ts';
import { lockBalances } from './lots.server.ts';
import { hoursSql, onlyRecorder, recordApproval, recordColumns } from './record-parts.server.ts';

const approval = recordApproval('overtime');

const bound: BoundResource = bindResource(overtimeRecord, {
  table: 'overtime_record',
  from: 'overtime_record t JOIN staff s ON s.id = t.staff_id LEFT JOIN department d ON d.id = s.department_id LEFT JOIN staff c ON c.id = t.created_by LEFT JOIN leave_balance_lot l ON l.overtime_id = t.id AND NOT l.voided',
  columns: {
    ...recordColumns('overtime'),
    credited: hoursSql('t.credited'),
    used: hoursSql('l.used'),
    expiresOn: 'l.expires_on',
    attachment: 't.attachment_id',
  },
  writes: {
    day: false,
    startTime: false,
    endTime: false,
    compensation: false,
    reason: false,
    attachment: false,
    overReason: false,
  },
  scope: RECORD_SCOPE,
  tabs: {
    mine: (caller, parameters) => approval.waitsFor(parameters.bind(caller.staffId)),
  },
  abilities: [approval.ability],
  extra: {
    ...approval.extra,
    lotGone: 'coalesce(l.used + l.expired, 0)',
  },
  rowRules: {
    ...approval.rules,
    update: onlyRecorder,
    void: (row) =>
      Number(row.lotGone) > 0
        ? [
            '该加班的调休已使用或已过期，不能作废',
            'Its time off was used or has expired: it cannot be voided',
          ]
        : undefined,
  },
  // Names of attached files; their content is reached through the attachment path, which knows the row's scope.
  present: (rows, db) => showFiles(rows, db, 'attachment'),
  handlers: {
    addOvertime: async (context) => {
      const { tx, input, caller } = context;
      const staff = await staffInScope(tx, caller, input.staff as number[]);
      await checkAttachable(tx, caller, 'attachment', input.attachment ? [String(input.attachment)] : []);
      const ids = await recordOvertime(tx, context.platform, caller, staff, draftOf(input));
      return { result: { ids: ids.map(String) } };
    },
    update: async (context) => {
      const { tx, row, input, caller } = context;
      const [staff] = await staffInScope(tx, caller, [Number(row.staff_id)]);
      if (input.attachment)
        await checkAttachable(
          tx,
          caller,
          'attachment',
          [String(input.attachment)],
          row.attachment_id ? [String(row.attachment_id)] : [],
        );
      const now = (await runOne<DbRow>(
        tx,
        `SELECT day, to_char(starts_at, 'HH24:MI') AS "startTime", to_char(ends_at, 'HH24:MI') AS "endTime", compensation, reason, over_reason AS "overReason", attachment_id AS attachment FROM overtime_record WHERE id = $1`,
        [context.id],
      ))!;
      return {
        set: await changeOvertime(
          tx,
          context.platform,
          caller,
          context.id,
          staff!,
          draftOf({ ...now, ...input }),
        ),
      };
    },
    void: voidOvertime,
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/overtimeRecord/:id/attachment',
      title: ['附件', 'Attachment'],
      access: { code: 'workOvertimeManager' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const id = (row.attachment as { id?: string } | null)?.id;
        const file = id
          ? await runOne<StoredFile>(call.platform.database.db, 'SELECT * FROM stored_file WHERE id = $1', [
              id,
            ])
          : undefined;
        if (!file) throw notFound();
        return fileValue(call.platform, call.caller, file);
      },
    }),
  ],
  also: {
    approvals: [overtimeApproval],
    imports: [overtimeImport],
    sights: [overtimeSights.outcome, overtimeSights.toDecide],
  },
});

/** Overtime records with their approval. */
export const registration = bound.registration;

/** Takes approved overtime back while nothing of it was used: its lot and its credit go with it. */
async function voidOvertime({ tx, id, row, input, platform }: ActionContext): Promise<ActionResult> {
  await lockBalances(tx, [Number(row.staff_id)]);
  const lot = await runOne<{ id: number; gone: number }>(
    tx,
    'SELECT id, used + expired AS gone FROM leave_balance_lot WHERE overtime_id = $1 FOR UPDATE',
    [id],
  );
  if (lot && lot.gone > 0)
    throw ruleBroken([
      '该加班的调休已使用或已过期，不能作废',
      'Its time off was used or has expired: it cannot be voided',
    ]);
  if (lot) await run(tx, 'UPDATE leave_balance_lot SET voided = true WHERE id = $1', [lot.id]);
  await run(
    tx,
    `UPDATE leave_record SET state = 'void', version = version + 1, updated_at = now() WHERE overtime_id = $1`,
    [id],
  );
  platform.changed('leaveRecord');
  return { remark: String(input.reason) };
}

function draftOf(input: Readonly<Record<string, unknown>>): OvertimeDraft {
  return {
    day: String(input.day),
    startTime: String(input.startTime),
    endTime: String(input.endTime),
    compensation: input.compensation as OvertimeDraft['compensation'],
    reason: String(input.reason),
    overReason: (input.overReason as string | null | undefined) ?? null,
    attachmentId: (input.attachment as string | null | undefined) ?? null,
  };
}
