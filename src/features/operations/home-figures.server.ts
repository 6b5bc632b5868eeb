import type { Label } from '../../kernel/contract/label.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import { run } from '../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../kernel/server/people/scope.ts';
import { defineRegistration, type FigureKind } from '../../kernel/server/registration.ts';

/** Rows of a list by the day they came, each with its project in `t.project_id`. */
function rowsByDay(spec: {
  readonly code: string;
  readonly label: Label;
  readonly formula: Label;
  readonly menu: string;
  readonly order: number;
  readonly rows: string;
  readonly at: string;
  readonly field: string;
}): FigureKind {
  const { rows, at, field, ...figure } = spec;
  return {
    ...figure,
    kind: 'integer',
    set: 'property',
    route: ({ from, to }) => `/operService/${spec.menu}?${field}=${from}~${to}`,
    days: async ({ caller, platform }, { from, to, projectId }) => {
      const parameters = new Parameters();
      const start = parameters.bind(startOfBusinessDay(from));
      const end = parameters.bind(endOfBusinessDay(to));
      const scope = scopeCondition(
        caller,
        spec.menu,
        { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
        parameters,
      );
      const project = projectId === undefined ? 'TRUE' : `t.project_id = ${parameters.bind(projectId)}`;
      const found = await run<{ day: string; value: number }>(
        platform.replica.db,
        `SELECT (${at} AT TIME ZONE 'Asia/Shanghai')::date::text AS day, count(*) AS value FROM ${rows}
          AND ${at} >= ${start}::timestamptz AND ${at} < ${end}::timestamptz AND ${scope} AND ${project} GROUP BY 1`,
        parameters.values,
      );
      return new Map(found.map((row) => [row.day, row.value]));
    },
  };
}

/** What community operators look at first: what residents wrote and redeemed. */
export const registration = defineRegistration({
  endpoints: [],
  figures: [
    rowsByDay({
      code: 'family_posts',
      label: ['家人圈新帖', 'New family posts'],
      formula: ['所选时间内发布的家人圈帖子数', 'Family posts written in the period'],
      menu: 'os_familyPosts',
      order: 60,
      rows: `post t WHERE t.kind = 'family'`,
      at: 't.published_at',
      field: 'publishedAt',
    }),
    rowsByDay({
      code: 'hall_topics',
      label: ['议事厅新话题', 'New hall topics'],
      formula: ['所选时间内发布的议事厅话题数', 'Topics of the council hall written in the period'],
      menu: 'os_conHallManage',
      order: 61,
      rows: `post t WHERE t.kind = 'chamber'`,
      at: 't.published_at',
      field: 'publishedAt',
    }),
    rowsByDay({
      code: 'redemptions',
      label: ['积分兑换', 'Redemptions'],
      formula: ['所选时间内的兑换数', 'Redemptions of the period'],
      menu: 'os_integralCash',
      order: 62,
      rows: 'points_redemption t WHERE TRUE',
      at: 't.created_at',
      field: 'createdAt',
    }),
  ],
});
