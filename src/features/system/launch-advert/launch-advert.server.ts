import { countAd, forgetCounted } from '../../../domain/ad-metric/ad-metric.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { z } from 'zod';
import { launchAdvert, PICTURE_BYTES, type LeftOutPages } from './launch-advert.contract.ts';
import { leftOut, shownPages, type LaunchPage } from './launch-advert.rules.ts';

const ROOT = '/jinmao/web/launchAdvert';
/** What the programs behind the apps hold. */
export const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const IMAGES = ['androidImage', 'iosImage'] as const;
const COLUMN = { androidImage: 'android_image_id', iosImage: 'ios_image_id' } as const;
const OUT_OF_REACH: Label = [
  '该启动页含您范围外的小区，不能操作',
  'It is for projects outside your scope, too, and cannot be changed',
];
const OVER: Label = [
  '结束时间已过，请修改后再发布',
  'The end has passed, please change it before publishing',
];
const metric = (column: string) =>
  `(SELECT sum(m.${column})::int FROM ad_metric m WHERE m.kind = 'launch' AND m.advert_id = t.id)`;
const inReach = (row: DbRow, caller: Caller) =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;

const bound: BoundResource = bindResource(launchAdvert, {
  table: 'launch_advert',
  joins: {
    link: { table: 'jump_link', column: 'jump_link_id' },
    module: { table: 'app_module', column: 'app_module_id' },
  },
  links: {
    projects: { table: 'launch_advert_project', own: 'launch_advert_id', other: 'project_id', to: 'project' },
  },
  columns: {
    androidImage: 't.android_image_id',
    iosImage: 't.ios_image_id',
    running: `(t.state = 'published' AND t.starts_at <= now() AND t.ends_at > now())`,
    shown: metric('exposures'),
    clicked: metric('clicks'),
    clickRate: `(SELECT round(100.0 * sum(m.clicks) / nullif(sum(m.exposures), 0), 2)::text FROM ad_metric m WHERE m.kind = 'launch' AND m.advert_id = t.id)`,
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM launch_advert_project p WHERE p.launch_advert_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM launch_advert_project p WHERE p.launch_advert_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM launch_advert_project p WHERE p.launch_advert_id = t.id)',
  },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, publish: inReach, withdraw: inReach, remove: inReach },
  present: async (rows, db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    for (const name of IMAGES) await showFiles(rows, db, name);
  },
  before: [checkPage],
  handlers: { publish },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/leftOut`,
      title: ['发布后不展示的启动页', 'What is left out'],
      access: { code: `${launchAdvert.menu}:btn_publish` },
      handle: async (call): Promise<LeftOutPages[]> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const max = await call.platform.settings.number('launch.max');
        const lost = await lostPages(call.platform.database.db, id, max);
        return projectsInReach(
          call.caller,
          lost.map((one) => ({ ...one, id: one.projectId })),
        ).map(({ project, titles }) => ({ project, titles }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 启动页列表', 'Launch pages of the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ projectId: idText, appSource: z.enum(['1', '2', '3', '4']) }),
      handle: async ({ platform, query }) => {
        return appList(
          platform.database.db,
          Number(query.projectId),
          Number(query.appSource),
          await platform.settings.number('launch.max'),
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/event`,
      title: ['启动页展示与点击', 'Launch page shown or clicked'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        eventId: z.string().min(1).max(64),
        advertId: idText,
        projectId: idText,
        memberId: idText.optional(),
        type: z.enum(['ad.show', 'ad.click']),
      }),
      handle: async ({ platform, body }) => {
        const counted = await transaction(platform.database.db, async (tx) => {
          const known = await runOne(
            tx,
            `SELECT FROM launch_advert_project p WHERE p.launch_advert_id = $1 AND p.project_id = $2
                AND ($3::bigint IS NULL OR EXISTS (SELECT FROM member WHERE id = $3))`,
            [Number(body.advertId), Number(body.projectId), body.memberId ? Number(body.memberId) : null],
          );
          if (!known) throw notFound();
          return countAd(tx, {
            eventId: body.eventId,
            kind: 'launch',
            advertId: Number(body.advertId),
            projectId: Number(body.projectId),
            memberId: body.memberId ? Number(body.memberId) : undefined,
            what: body.type === 'ad.show' ? 'show' : 'click',
          });
        });
        return { accepted: counted, duplicate: !counted };
      },
    }),
  ],
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'launch.withdraw',
        title: ['启动页到期撤回', 'Launch pages whose time is over'],
        cron: '* * * * *',
        action: 'expire',
        when: 't.ends_at <= now()',
      }),
      {
        name: 'ad.forget_counted',
        title: ['清理广告计数去重记录', 'Marks of counted adverts go'],
        cron: '50 19 * * *',
        run: (_payload, platform) => forgetCounted(platform.database.db),
      },
    ],
    options: [
      {
        // Modules of the owner's app: whoever keeps launch pages need not keep the modules.
        target: 'launchModule',
        anyOf: [launchAdvert.menu],
        find: async ({ platform }, query) =>
          (
            await run<{ id: number; title: string; note: string }>(
              platform.database.db,
              `SELECT id, name AS title, code AS note FROM app_module
                WHERE system = 'owner' AND CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE enabled AND (name || ' ' || code) ILIKE $2 END
                ORDER BY position, id LIMIT $3 OFFSET $4`,
              [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
            )
          ).map((row) => ({ ...row, id: String(row.id) })),
      },
    ],
  },
});

/** Launch pages. */
export const registration = bound.registration;

/** The period has a length, pictures fit, what is opened is named. What a change leaves out counts as it stands. */
async function checkPage({ action, input, row, columns, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const at = (name: 'startsAt' | 'endsAt', column: string) =>
    new Date((input[name] ?? row[column]) as string).getTime();
  if (at('endsAt', 'ends_at') <= at('startsAt', 'starts_at'))
    problems.endsAt = ['结束时间须晚于开始时间', 'The end must lie behind the start'];
  const jump = String(input.jump ?? row.jump);
  for (const [name, word, column] of [
    ['link', 'link', 'jump_link_id'],
    ['module', 'module', 'app_module_id'],
  ] as const) {
    const chosen = name in input ? input[name] : row[column];
    if (jump !== word) columns[column] = null;
    else if (!chosen) problems[name] = ['此项必填', 'This field is required'];
  }
  for (const name of IMAGES) {
    const id = input[name];
    if (!id) continue;
    await checkAttachable(tx, caller, name, [String(id)], [String(row[COLUMN[name]] ?? '')]);
    const file = await runOne<{ size: number; type: string }>(
      tx,
      'SELECT size::int, type FROM stored_file WHERE id = $1',
      [id],
    );
    if (file && !['image/jpeg', 'image/png', 'image/webp'].includes(file.type))
      problems[name] = ['仅支持 jpg、png、webp', 'jpg, png or webp only'];
    else if (file && file.size > PICTURE_BYTES) problems[name] = ['图片不能超过 2 MB', 'At most 2 MB'];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

async function publish({ tx, id, platform, caller, facts }: ActionContext) {
  const live = await runOne<{ over: boolean; gone: boolean }>(
    tx,
    `SELECT t.ends_at <= now() AS over, l.enabled IS FALSE OR m.enabled IS FALSE AS gone FROM launch_advert t
       LEFT JOIN jump_link l ON l.id = t.jump_link_id LEFT JOIN app_module m ON m.id = t.app_module_id WHERE t.id = $1`,
    [id],
  );
  if (live!.over) throw ruleBroken(OVER);
  if (live!.gone)
    throw ruleBroken([
      '跳转的链接或模块已停用，请修改后再发布',
      'The link or module it opens is disabled, please choose another one',
    ]);
  const lost = projectsInReach(
    caller,
    (await lostPages(tx, id, await platform.settings.numberIn(tx, 'launch.max'))).map((one) => ({
      ...one,
      id: one.projectId,
    })),
  );
  if (lost.length === 0) return;
  const told = lost.map((one) => `${one.project}：${one.titles.join('、')}`).join('；');
  return {
    remark: `超出上限不展示：${told}`,
    result: {
      warning: facts.language === 'en' ? `Not shown, over the limit: ${told}` : `超出上限不展示：${told}`,
    },
  };
}

interface ProjectPage extends LaunchPage {
  readonly project_id: number;
  readonly project: string;
}

/** Which pages would not be shown in which project, once this one is published. */
async function lostPages(
  db: Executor,
  id: number,
  max: number,
): Promise<{ projectId: number; project: string; titles: string[] }[]> {
  const rows = await run<ProjectPage>(
    db,
    `SELECT t.id, t.title, t.sort, t.starts_at, t.ends_at, p.project_id, n.name AS project
       FROM launch_advert own JOIN launch_advert_project mine ON mine.launch_advert_id = own.id
       JOIN launch_advert_project p ON p.project_id = mine.project_id JOIN project n ON n.id = p.project_id
       JOIN launch_advert t ON t.id = p.launch_advert_id
      WHERE own.id = $1 AND (t.id = own.id OR (t.state = 'published' AND t.starts_at < own.ends_at AND t.ends_at > greatest(own.starts_at, now())))
      ORDER BY p.project_id, t.id`,
    [id],
  );
  const found: { projectId: number; project: string; titles: string[] }[] = [];
  for (const projectId of new Set(rows.map((row) => row.project_id))) {
    const pages = rows.filter((row) => row.project_id === projectId);
    const lost = leftOut(
      pages.find((page) => page.id === id)!,
      pages.filter((page) => page.id !== id),
      max,
    );
    if (lost.length > 0)
      found.push({ projectId, project: pages[0]!.project, titles: lost.map((page) => page.title) });
  }
  return found;
}

interface AppPage extends LaunchPage {
  readonly stay: number;
  readonly image_id: string;
  readonly jump: string;
  readonly link: string | null;
  readonly code: string | null;
}

const LINK_OF_SOURCE = { 1: 'ios', 2: 'android', 3: 'h5', 4: 'mini_program' } as const;

/** What the app of a project shows now. A target that was disabled since is left out, the picture stays. */
async function appList(db: Executor, projectId: number, source: number, max: number) {
  const image = source === 1 ? 'ios_image_id' : 'android_image_id';
  const link = LINK_OF_SOURCE[source as 1 | 2 | 3 | 4];
  const [rows, clock] = [
    await run<AppPage>(
      db,
      `SELECT t.id, t.title, t.sort, t.starts_at, t.ends_at, t.stay, t.${image} AS image_id, t.jump,
              l.${link} AS link, m.code
         FROM launch_advert t JOIN launch_advert_project p ON p.launch_advert_id = t.id
         LEFT JOIN jump_link l ON l.id = t.jump_link_id AND l.enabled LEFT JOIN app_module m ON m.id = t.app_module_id AND m.enabled
        WHERE p.project_id = $1 AND t.state = 'published' AND t.starts_at <= now() AND t.ends_at > now()`,
      [projectId],
    ),
    await runOne<{ now: Date }>(db, 'SELECT now() AS now'),
  ];
  return shownPages(rows, clock!.now, max).map((page) => ({
    id: String(page.id),
    title: page.title,
    image: `/api/file/${page.image_id}`,
    stay: page.stay,
    startTime: page.starts_at.toISOString(),
    endTime: page.ends_at.toISOString(),
    jump: page.link
      ? { type: 'link', value: page.link }
      : page.code
        ? { type: 'module', value: page.code }
        : null,
  }));
}
