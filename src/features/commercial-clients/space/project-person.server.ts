import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { projectPerson } from './space.contract.ts';

/** Business people by project: the projects of a person, seen from the project. */
export const registration = bindResource(projectPerson, {
  table: 'business_person_project',
  from: `business_person_project t LEFT JOIN business_person b ON b.id = t.person_id LEFT JOIN staff s ON s.id = b.staff_id LEFT JOIN department d ON d.id = s.department_id
    LEFT JOIN staff l ON l.id = b.leader_id LEFT JOIN project p ON p.id = t.project_id`,
  scope: residentScope('t.project_id', 'b.staff_id'),
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    staff: { id: 'b.staff_id', title: 's.name' },
    department: 'd.name',
    leader: 'l.name',
    standing: 'b.state',
    clients: `(SELECT count(*)::int FROM client c JOIN client_project x ON x.client_id = c.id AND x.project_id = t.project_id WHERE c.owner_id = b.staff_id AND c.state NOT IN ('signed', 'lost'))`,
    addedAt: 't.created_at',
  },
  writes: { staff: false },
  unique: {
    business_person_project_pkey: ['该人员已参与此项目', 'This person works for the project already'],
  },
  before: [
    async ({ action, input, columns, caller, tx }) => {
      if (action !== 'create') return;
      requireProjectsInReach(caller, [Number(input.project)]);
      const person = await runOne<{ id: number }>(
        tx,
        `SELECT id FROM business_person WHERE staff_id = $1 AND state = 'active'`,
        [input.staff],
      );
      if (!person) throw invalid({ staff: ['不是在岗招商人员', 'This is no active business person'] });
      columns.person_id = person.id;
    },
  ],
}).registration;
