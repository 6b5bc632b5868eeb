import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { projectProgress } from './space.contract.ts';

/** Notes on commercial projects; their authors mend them. */
export const registration = bindResource(projectProgress, {
  table: 'project_progress',
  from: 'project_progress t LEFT JOIN project p ON p.id = t.project_id',
  scope: residentScope('t.project_id', 't.created_by'),
  columns: { project: { id: 't.project_id', title: 'p.name' } },
  extra: { authorId: 't.created_by' },
  ruleReads: ['authorId'],
  rowRules: {
    update: (row, caller) =>
      Number(row.authorId) === caller.staffId
        ? undefined
        : ['只有记录人可以修改', 'Only its author changes it'],
  },
  before: [
    ({ input, caller }) => {
      if (input.project !== undefined) requireProjectsInReach(caller, [Number(input.project)]);
      if (input.onDay !== undefined && String(input.onDay) > businessDayOf(new Date()))
        throw invalid({ onDay: ['不能晚于今天', 'Not after today'] });
      return Promise.resolve();
    },
  ],
}).registration;
