import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { decisionHouse } from './decision.contract.ts';

const bound = bindResource(decisionHouse, {
  table: 'decision_house',
  from: `decision_house t LEFT JOIN decision d ON d.id = t.decision_id
    LEFT JOIN ballot b ON b.decision_id = t.decision_id AND b.house_id = t.house_id AND b.state = 'live'`,
  columns: {
    decision: { id: 't.decision_id', title: 'd.title' },
    house: 't.name',
    area: '(t.area / 100.0)::numeric(14, 2)',
    voted: `CASE WHEN b.id IS NULL THEN 'open' ELSE 'voted' END`,
    // What a house said in a secret ballot leaves the database nowhere, and when and how would tell it beside the live figures.
    way: 'CASE WHEN NOT d.secret THEN b.way END',
    castAt: 'CASE WHEN NOT d.secret THEN b.cast_at END',
    choice: 'CASE WHEN NOT d.secret THEN b.choice END',
  },
  extra: { version: '1' },
  scope: residentScope('d.project_id', 'd.created_by'),
});

/** Rolls of decisions. */
export const registration = bound.registration;
