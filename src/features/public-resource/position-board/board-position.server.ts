import { z } from 'zod';
import { run, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Registration } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { BOARD_MENU, boardPosition } from '../position/position.contract.ts';
import { LIVE, positionBinding, SCOPE } from '../position/position.server.ts';
import { lastOfMonths, type BoardRow } from './board.rules.ts';

const bound: BoundResource = bindResource(boardPosition, positionBinding);
const DAY = z.iso.date();
const ID = z.string().regex(/^\d{1,15}$/);
/** Positions of one project the board shows at most; further ones are reached by the type. */
const SHOWN = 500;
/** Months it shows at most. */
const MONTHS = 24;

/** The availability board: positions of a project with what they have in a time, and holds of several at once. */
export const registration: Registration = {
  ...bound.registration,
  endpoints: [
    ...bound.registration.endpoints,
    endpoint({
      method: 'GET',
      path: '/jinmao/web/positionBoard',
      title: ['点位档期', 'Availability board'],
      access: { code: BOARD_MENU },
      query: z.strictObject({ project: ID, type: ID.optional(), from: DAY, to: DAY }),
      handle: async ({ query, caller, platform }) => {
        if (query.to < query.from) throw invalid({ to: ['不能早于开始日期', 'Not before the first day'] });
        if (query.to > lastOfMonths(query.from, MONTHS))
          throw invalid({ to: [`最多 ${MONTHS} 个月`, `${MONTHS} months at most`] });
        const parameters = new Parameters();
        const parts = [
          scopeCondition(caller, BOARD_MENU, SCOPE, parameters),
          `t.project_id = ${parameters.bind(Number(query.project))}`,
        ];
        if (query.type) parts.push(`t.type_id = ${parameters.bind(Number(query.type))}`);
        const days = `daterange(${parameters.bind(query.from)}::date, ${parameters.bind(query.to)}::date, '[]')`;
        const me = parameters.bind(caller.staffId);
        const rows = await run<BoardRow>(
          platform.database.db,
          `SELECT t.id::text, t.code, t.name, k.name AS type, t.enabled, (t.list_price / 100.0)::numeric(14, 2)::text AS "listPrice", t.plan_id AS "planId", t.pin_x AS "pinX", t.pin_y AS "pinY",
                  coalesce((SELECT jsonb_agg(jsonb_build_object('id', o.id::text, 'kind', o.kind, 'from', o.from_on, 'to', o.to_on,
                       'title', concat_ws(' · ', coalesce(c.name, x.party_text), nullif(o.reason, ''), s.name), 'clientId', o.client_id::text,
                       'own', o.kind = 'hold' AND o.holder_id = ${me} AND o.contract_id IS NULL) ORDER BY o.from_on)
                     FROM position_occupancy o LEFT JOIN client c ON c.id = o.client_id LEFT JOIN contract x ON x.id = o.contract_id LEFT JOIN staff s ON s.id = o.holder_id
                    WHERE o.position_id = t.id AND ${LIVE} AND o.period && ${days}), '[]') AS bars
             FROM position t JOIN biz_dict k ON k.id = t.type_id WHERE ${parts.join(' AND ')} ORDER BY t.code, t.id LIMIT ${SHOWN}`,
          parameters.values,
        );
        return { rows };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/positionBoard/hold',
      title: ['预留多个点位', 'Hold several positions'],
      access: { code: `${BOARD_MENU}:btn_hold` },
      body: z.strictObject({
        ranges: z
          .array(z.strictObject({ position: ID, from: DAY, to: DAY }))
          .min(1)
          .max(20),
        reason: z.string().trim().min(2).max(200),
        client: ID.optional(),
        until: DAY,
      }),
      // All of them or none: half of a plan is of no use.
      handle: async (call) => {
        const { ranges, ...rest } = call.body;
        // In the order of their ids, so that two plans never wait for each other.
        const sorted = [...ranges].sort((a, b) => Number(a.position) - Number(b.position));
        await transaction(call.platform.database.db, async (tx) => {
          for (const { position, from, to } of sorted)
            await bound.actIn(tx, call, 'hold', Number(position), { ...rest, from, to });
        });
        call.platform.changed('position');
        return { held: sorted.length };
      },
    }),
  ],
};
