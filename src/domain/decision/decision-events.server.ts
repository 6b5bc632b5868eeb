import { z } from 'zod';
import { choice, ref } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { grantTask } from '../points-task/points-task.server.ts';
import { BALLOT_CHOICES } from './decision.rules.ts';
import { castBallot } from './decision.server.ts';

/** What owners do with decisions. Source: group 10, cs_policyDecision, Voting. */
export const decisionEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'ballot.cast',
    title: ['业主决策投票', 'Ballot cast'],
    payload: z.strictObject({
      decisionId: idText,
      houseId: idText,
      choice: z.enum(['disagree', 'agree', 'abstain']),
    }),
    form: {
      decision: { field: ref('eventDecision', ['决策', 'Decision'], { required: true }), at: 'decisionId' },
      house: {
        field: ref('eventHouse', ['房屋', 'House'], {
          required: true,
          help: ['会员为业主的房屋', 'Houses the member owns'],
        }),
        at: 'houseId',
      },
      choice: { field: choice(['选择', 'Choice'], BALLOT_CHOICES, { required: true }) },
    },
    changes: ['decision', 'decisionHouse', 'ballot'],
    apply: async (tx, platform, event) => {
      const { decisionId, houseId } = event.payload;
      const cast = await castBallot(tx, { ...event.payload, memberId: event.memberId });
      // The event is kept as it came; what a secret ballot says is not.
      if (cast.secret)
        await run(tx, `UPDATE member_event SET payload = payload - 'choice' WHERE id = $1`, [event.id]);
      // Once per decision and house: of several owners the one who voted first.
      const earlier = await runOne(
        tx,
        `SELECT 1 AS one FROM ballot WHERE decision_id = $1 AND house_id = $2 AND member_id IS NOT NULL AND id <> $3 LIMIT 1`,
        [decisionId, houseId, cast.id],
      );
      const effects = earlier
        ? []
        : [
            await grantTask(tx, platform.settings, {
              task: 'T10',
              memberId: event.memberId,
              projectId: event.projectId,
              subject: `decision:${decisionId}:house:${houseId}`,
            }),
          ];
      return { result: { ballotId: String(cast.id) }, effects };
    },
  }),
];
