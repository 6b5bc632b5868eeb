import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { gradeOf, OUT_OF_REACH } from '../../../domain/interest-group/interest-group.rules.ts';
import {
  leaderSql,
  membersOnlyElsewhere,
  placeLeader,
  removeElsewhere,
  requireLeader,
} from '../../../domain/interest-group/interest-group.server.ts';
import { tellMembers } from '../../../domain/message-send/tell-member.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { interestGroup } from './interest-group.contract.ts';

const MEGABYTE = 1_048_576;
const POINTS = `(SELECT coalesce(sum(gp.points), 0)::integer FROM interest_group_points gp WHERE gp.group_id = t.id)`;

/** Refuses what changes a group that also lies in projects the caller does not work in. */
export const groupInReach = (row: DbRow, caller: Caller): Label | undefined =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;

/** A group lies in all its projects; `g` is the SQL of its id. */
export const groupScope = (g: string): ScopeColumns => ({
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM interest_group_project sp WHERE sp.group_id = ${g} AND sp.project_id = ANY(${ids}::bigint[]))`,
  owner: `(SELECT sg.created_by FROM interest_group sg WHERE sg.id = ${g})`,
});

/** SQL: ids of the projects of a group; `g` is the SQL of its id. */
export const groupProjects = (g: string): string =>
  `ARRAY(SELECT rp.project_id FROM interest_group_project rp WHERE rp.group_id = ${g})`;

const bound: BoundResource = bindResource(interestGroup, {
  table: 'interest_group',
  links: {
    projects: { table: 'interest_group_project', own: 'group_id', other: 'project_id', to: 'project' },
    classes: {
      table: 'interest_group_class',
      own: 'group_id',
      other: 'value_id',
      to: 'dictionary_value',
      titleEn: 'name_en',
    },
  },
  columns: {
    logo: `(${picturesOf('ARRAY[t.logo_id]')}->0)`,
    // References are titled in full, so that the title is masked here.
    leader: {
      id: leaderSql('t', 'm.id'),
      title: leaderSql('t', `left(m.name, 1) || repeat('*', greatest(length(m.name) - 1, 1))`),
    },
    leaderName: leaderSql('t', 'm.name'),
    applying: `(SELECT count(*)::integer FROM interest_group_member a WHERE a.group_id = t.id AND a.state = 'applying')`,
    posts: `(SELECT count(*)::integer FROM post p WHERE p.group_id = t.id AND p.review_state = 'passed' AND p.shown AND p.deleted_at IS NULL
       AND p.published_at > now() - interval '30 days')`,
    grade: 't.grade::text',
    points: POINTS,
    moveOut: 'false',
  },
  writes: { logo: 'logo_id', leader: false, moveOut: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    grade: (value, parameters) => `t.grade::text = ANY(${parameters.bind(value.split(','))}::text[])`,
  },
  scope: { ...groupScope('t.id'), owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: {
    interest_group_project_name: ['所选项目已有同名小组', 'One of the projects has a group of this name'],
  },
  extra: { projectIds: groupProjects('t.id'), logoId: 't.logo_id' },
  ruleReads: ['projectIds'],
  rowRules: {
    update: groupInReach,
    publish: groupInReach,
    withdraw: groupInReach,
    remove: groupInReach,
  },
  before: [check],
  after: [peopleOf],
  checks: { publish: ({ tx, id }) => requireLeader(tx, id) },
  sets: { publish: { withdraw_reason: '' } },
  handlers: {
    withdraw: async ({ tx, id, row, input }) => {
      const word = await runOne<{ name: string }>(tx, 'SELECT name FROM dictionary_value WHERE id = $1', [
        input.reason,
      ]);
      const remark = [word!.name, String(input.note ?? '').trim()].filter((one) => one !== '').join('：');
      const inside = await run<{ id: number }>(
        tx,
        `SELECT member_id AS id FROM interest_group_member WHERE group_id = $1 AND state IN ('in', 'applying')`,
        [id],
      );
      await tellMembers(
        tx,
        inside.map((one) => one.id),
        ['小组已撤回', 'Your group was withdrawn'],
        [
          `小组「${String(row.name)}」已撤回：${remark}`,
          `The group “${String(row.name)}” was withdrawn: ${remark}`,
        ],
      );
      return { remark, set: { withdraw_reason: remark } };
    },
    regrade: async ({ tx, platform, id, row }) => {
      const { points } = (await runOne<{ points: number }>(
        tx,
        `SELECT ${POINTS} AS points FROM interest_group t WHERE t.id = $1`,
        [id],
      ))!;
      const grade = gradeOf(points, await thresholds(platform));
      return { set: { grade }, remark: `${Number(row.grade)} → ${grade}` };
    },
  },
  present: (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    return Promise.resolve();
  },
  also: {
    options: [
      dictionaryOptions({ catalogue: 'platform', dictionary: 'group_class' }),
      dictionaryOptions({ catalogue: 'platform', dictionary: 'group_withdraw_reason' }),
    ],
    jobs: [
      {
        name: 'interestGroup.grade',
        title: ['小组等级', 'Grades of interest groups'],
        cron: '10 20 * * *',
        run: async (_payload, platform, context) => {
          const { db } = platform.database;
          const from = await thresholds(platform);
          const rows = await run<{ id: number; grade: number; points: number }>(
            db,
            `SELECT t.id, t.grade, ${POINTS} AS points FROM interest_group t ORDER BY t.id`,
          );
          let changed = 0;
          for (const row of rows) {
            if (gradeOf(row.points, from) === row.grade) continue;
            context?.signal.throwIfAborted();
            await transaction(db, (tx) => bound.actAsSystem(tx, platform, 'regrade', row.id));
            changed += 1;
          }
          if (changed > 0) platform.changed(interestGroup.name);
          context?.print(`${changed} 个小组 / groups`);
        },
      },
    ],
  },
});

/** Interest groups of residents. */
export const registration = bound.registration;

async function thresholds(platform: ActionContext['platform']): Promise<readonly number[]> {
  const list = await transaction(platform.database.db, (tx) =>
    platform.settings.listIn(tx, 'group.grade_thresholds'),
  );
  return list.map(Number);
}

/** The logo, room for the members there are, and who would lose its group with a project. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, id } = context;
  if (action === 'remove') await run(tx, 'DELETE FROM interest_group_member WHERE group_id = $1', [id]);
  if (action !== 'create' && action !== 'update') return;
  if (typeof input.logo === 'string') {
    await checkPictures(context, 'logo', [input.logo], row.logo_id ? [String(row.logo_id)] : []);
    const file = await runOne<{ size: number }>(tx, 'SELECT size FROM stored_file WHERE id = $1', [
      input.logo,
    ]);
    if (file && file.size > MEGABYTE) throw invalid({ logo: ['不能超过 1 MB', 'At most 1 MB'] });
  }
  if (action !== 'update') return;
  const limit = Number(input.memberLimit ?? row.member_limit);
  if (limit > 0 && limit < Number(row.members))
    throw invalid({
      memberLimit: [
        `不能小于现有成员数${Number(row.members)}`,
        `Not below the ${Number(row.members)} members`,
      ],
    });
  if (!Array.isArray(input.projects)) return;
  const going = await membersOnlyElsewhere(tx, id, input.projects.map(Number));
  if (going.length === 0) return;
  if (going.some((one) => one.role === 'leader') && !input.leader)
    throw invalid({
      leader: ['组长不住在所选项目，请先更换', 'The leader lives in none of the projects: name another'],
    });
  if (input.moveOut !== true)
    throw invalid({
      moveOut: [
        `将有${going.length}名成员被移出小组，请勾选确认`,
        `${going.length} members will be removed: tick to confirm`,
      ],
    });
}

/** Members that go with a project, and the leader. */
async function peopleOf({ tx, action, input, caller, platform }: ActionContext, id: number) {
  if (action !== 'create' && action !== 'update') return [];
  const projectIds = Array.isArray(input.projects)
    ? input.projects.map(Number)
    : (
        await run<{ id: number }>(
          tx,
          'SELECT project_id AS id FROM interest_group_project WHERE group_id = $1',
          [id],
        )
      ).map((one) => one.id);
  // The leader first: an old one that goes has a successor then.
  if (input.leader)
    await placeLeader(tx, { groupId: id, memberId: Number(input.leader), projectIds, caller });
  if (Array.isArray(input.projects)) {
    const going = await membersOnlyElsewhere(tx, id, projectIds);
    if (going.length > 0) await removeElsewhere(tx, { groupId: id, ids: going.map((one) => one.id), caller });
  }
  platform.changed('interestGroupMember');
  return [];
}
