import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { postReport } from './report.contract.ts';

/** Reports inside cases; who reported is masked. */
export const registration = bindResource(postReport, {
  table: 'post_report',
  from: 'post_report t LEFT JOIN report_case c ON c.id = t.case_id LEFT JOIN member m ON m.id = t.reporter_id',
  columns: {
    case: { id: 't.case_id', title: 'c.code' },
    reporter: 'm.name',
    phone: 'm.phone',
    pictures: picturesOf('t.image_ids'),
  },
  // A report never changes.
  extra: { version: '1' },
  scope: residentScope('(SELECT s.project_id FROM report_case s WHERE s.id = t.case_id)'),
}).registration;
