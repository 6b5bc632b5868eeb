import { countPaper } from '../../../domain/decision/decision.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { CALLER, NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { ballot } from './decision.contract.ts';

const otherPerson = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.enteredById) === caller.staffId
    ? ['须由录入人以外的人确认', 'Somebody else than who entered it has to confirm']
    : undefined;

const bound = bindResource(ballot, {
  table: 'ballot',
  from: `ballot t LEFT JOIN decision d ON d.id = t.decision_id
    LEFT JOIN decision_house h ON h.decision_id = t.decision_id AND h.house_id = t.house_id
    LEFT JOIN staff e ON e.id = t.created_by LEFT JOIN staff c ON c.id = t.confirmed_by`,
  // Of a secret ballot the roll tells who voted: when each came, or which came before which, would tell the rest beside the figures.
  where: `(t.way = 'paper' OR NOT EXISTS (SELECT FROM decision s WHERE s.id = t.decision_id AND s.secret))`,
  columns: {
    decision: { id: 't.decision_id', title: 'd.title' },
    house: 'h.name',
    choice: 'CASE WHEN NOT d.secret THEN t.choice END',
    castAt: 'CASE WHEN NOT d.secret THEN t.cast_at END',
    evidence: `CASE WHEN d.secret THEN '[]'::jsonb ELSE ${picturesOf('t.evidence')} END`,
    enteredBy: { id: 't.created_by', title: 'e.name' },
    confirmer: { id: 't.confirmed_by', title: 'c.name' },
  },
  extra: { enteredById: 't.created_by' },
  ruleReads: ['enteredById'],
  scope: residentScope('d.project_id', 'd.created_by'),
  rowRules: { confirm: otherPerson, refuse: otherPerson },
  sets: { refuse: { confirmed_by: CALLER, confirmed_at: NOW } },
  handlers: {
    confirm: async ({ tx, id, row, caller }) => {
      const counted = await countPaper(tx, {
        id,
        decisionId: row.decision_id as number,
        houseId: row.house_id as number,
      });
      return {
        to: counted.to,
        set: { superseded_by: counted.by, confirmed_by: caller.staffId, confirmed_at: new Date() },
      };
    },
  },
});

/** Ballots of decisions. */
export const registration = bound.registration;
