import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';
import { tagOptions } from '../tag-options.server.ts';
import { operationUser } from './operation-user.contract.ts';
import { planPost, publishAs } from './planned-post.server.ts';

const TAKEN: Label = ['该会员已是运营用户', 'The member is an operation user already'];
const scope: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM operation_user_project p WHERE p.operation_user_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Members in whose name staff write. */
export const registration = bindResource(operationUser, {
  table: 'operation_user',
  from: 'operation_user t LEFT JOIN member m ON m.id = t.member_id',
  links: {
    projects: {
      table: 'operation_user_project',
      own: 'operation_user_id',
      other: 'project_id',
      to: 'project',
    },
  },
  columns: {
    name: 'm.name',
    phone: 'm.phone',
    sex: 'm.sex::text',
    email: `nullif(m.email, '')`,
    photo: 'm.photo_id',
    posts: '(SELECT count(*)::int FROM post p WHERE p.member_id = t.member_id AND p.staff_id IS NOT NULL)',
  },
  writes: { memberPhone: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM operation_user_project p WHERE p.operation_user_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope,
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `(m.name = ${exact} OR m.phone = ${exact})`;
  },
  unique: { operation_user_member: TAKEN },
  usedBy: { operation_user_project: false },
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM operation_user_project p WHERE p.operation_user_id = t.id)',
  },
  ruleReads: ['projectIds', 'enabled'],
  rowRules: {
    update: inReach,
    remove: inReach,
    enable: (row, caller) =>
      inReach(row, caller) ?? (row.enabled === true ? ['已启用', 'It is enabled'] : undefined),
    disable: (row, caller) =>
      inReach(row, caller) ?? (row.enabled === true ? undefined : ['已停用', 'It is disabled']),
    postAs: (row) => (row.enabled === true ? undefined : ['该运营用户已停用', 'It is disabled']),
  },
  before: [findMember],
  handlers: { postAs },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'photo');
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  also: { options: [tagOptions('officialTag', operationUser.menu)] },
}).registration;

const MUTED: Label = ['该会员处于禁言中', 'The member is muted'];

/** The member of a phone: registered and not muted. */
async function findMember({ tx, action, input, columns }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  const member = await runOne<{ id: number; muted: boolean }>(
    tx,
    'SELECT id, coalesce(banned_until > clock_timestamp(), false) AS muted FROM member WHERE phone = $1',
    [input.memberPhone],
  );
  if (!member) throw invalid({ memberPhone: ['没有该手机号的会员', 'No member has this phone'] });
  if (member.muted) throw ruleBroken(MUTED, { fields: { memberPhone: MUTED } });
  // Named at the phone, which is what was typed; the constraint holds in a race.
  const taken = await runOne(tx, 'SELECT 1 AS one FROM operation_user WHERE member_id = $1', [member.id]);
  if (taken) throw ruleBroken(TAKEN, { fields: { memberPhone: TAKEN } });
  columns.member_id = member.id;
}

/** Writes as the member, at once or at a time; the post bears the staff and is not reviewed. */
async function postAs(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, input, caller, id } = context;
  const projectId = Number(input.project);
  requireProjectsInReach(caller, [projectId]);
  const held = await runOne(
    tx,
    'SELECT 1 AS one FROM operation_user_project WHERE operation_user_id = $1 AND project_id = $2',
    [id, projectId],
  );
  if (!held) throw invalid({ project: ['该运营用户不在此项目', 'It does not write in this project'] });
  const pictures = (input.pictures ?? []) as readonly string[];
  await checkPictures(context, 'pictures', pictures);
  const options = String(input.options ?? '')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const chamber = input.kind === 'chamber';
  if (!chamber && (options.length > 0 || input.tag))
    throw invalid({ options: ['标签与投票仅用于议事厅', 'Tags and votes are for the council hall'] });
  if (options.length === 1 || options.length > 10 || options.some((one) => one.length > 40))
    throw invalid({ options: ['2–10 个选项，每个不超过40字', '2–10 options of at most 40 characters'] });
  const planned = {
    kind: chamber ? ('chamber' as const) : ('family' as const),
    memberId: Number(row.member_id),
    projectId,
    content: String(input.content),
    imageIds: pictures,
    tagId: input.tag ? Number(input.tag) : null,
    options,
    multiple: input.multiple === true,
    voteDays: Number(input.voteDays ?? 7),
    staffId: caller.staffId,
  };
  if (input.publishAt) {
    const plannedId = await planPost(tx, id, planned, new Date(String(input.publishAt)));
    platform.changed('plannedPost');
    return { remark: String(input.publishAt), result: { plannedId: String(plannedId) } };
  }
  const postId = await publishAs(tx, platform, planned);
  return { remark: `#${postId}`, result: { postId: String(postId) } };
}
