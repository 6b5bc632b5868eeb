import { approvable } from '../../../domain/approval/approvable.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { fileValue, showFiles, type StoredFile } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { ACCOUNT_REF } from './account-columns.server.ts';
import { adjustmentSight, scopeOfMember } from './account-scope.server.ts';
import { ACCOUNT_MENU, pointsAdjustment } from './account.contract.ts';
import { ADJUST_APPROVAL, adjustApproval } from './adjustment-approval.server.ts';

const approval = approvable(ADJUST_APPROVAL, { waiting: 'reviewing', passed: 'booked', refused: 'rejected' });

const bound: BoundResource = bindResource(pointsAdjustment, {
  table: 'points_adjustment',
  from: 'points_adjustment t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN staff f ON f.id = t.created_by',
  scope: scopeOfMember('t.member_id'),
  columns: {
    account: ACCOUNT_REF,
    member: 'm.name',
    attachment: 't.attachment_id',
    opinion: `nullif(t.opinion, '')`,
    creator: { id: 't.created_by', title: 'f.name' },
  },
  abilities: [approval.ability],
  extra: { applicantId: 't.created_by' },
  ruleReads: ['applicantId'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.applicantId) === caller.staffId
        ? undefined
        : ['只有申请人可以撤回', 'Only the applicant may withdraw it'],
  },
  present: (rows, db) => showFiles(rows, db, 'attachment'),
  sets: { reject: { opinion: fromInput('opinion') } },
  handlers: {
    approve: async (context) => {
      const done = await approval.handlers.approve(context);
      return {
        ...done,
        set: {
          opinion: String(context.input.opinion ?? ''),
          ...(done.to === 'booked' ? { booked_at: new Date() } : {}),
        },
      };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/pointsAdjustment/:id/attachment',
      title: ['附件', 'Attachment'],
      access: { code: ACCOUNT_MENU },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const id = (row.attachment as { id?: string } | null)?.id;
        const found = id
          ? await runOne<StoredFile>(call.platform.database.db, 'SELECT * FROM stored_file WHERE id = $1', [
              id,
            ])
          : undefined;
        if (!found) throw notFound();
        return fileValue(call.platform, call.caller, found);
      },
    }),
  ],
  also: { approvals: [adjustApproval], sights: [adjustmentSight] },
});

/** Corrections by staff. */
export const registration = bound.registration;
