import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { launchAdvert } from './launch-advert.contract.ts';
import { launchPicture } from './launch-picture.server.ts';

const DAY = 86_400_000;

interface Page {
  readonly title: string;
  readonly state: 'draft' | 'published' | 'withdrawn';
  /** Days from now: begin and end. */
  readonly days: readonly [number, number];
  readonly stay: number;
  /** Code of a jump link or of a module. */
  readonly link?: string;
  readonly module?: string;
  readonly sort: number;
  /** Which projects, by their place; absent: all. */
  readonly projects?: readonly number[];
}

const PAGES: readonly Page[] = [
  { title: '感恩节社区优选满减', state: 'published', days: [-4, 6], stay: 3, link: 'mall_home', sort: 10 },
  { title: '冬季供暖开栓通知', state: 'published', days: [-12, 20], stay: 5, sort: 20, projects: [0, 1, 2] },
  { title: '物业费线上缴纳立减', state: 'published', days: [-20, 10], stay: 3, link: 'bill_pay', sort: 30 },
  {
    title: '访客通行码上线',
    state: 'published',
    days: [-2, 28],
    stay: 4,
    link: 'visitor_code',
    sort: 40,
    projects: [0, 3],
  },
  { title: '双旦邻里市集', state: 'draft', days: [18, 40], stay: 3, link: 'activity_detail', sort: 15 },
  { title: '双十一返场清单', state: 'withdrawn', days: [-13, -8], stay: 3, link: 'coupon_centre', sort: 10 },
  { title: '国庆中秋园区活动', state: 'withdrawn', days: [-55, -44], stay: 3, sort: 10, projects: [1, 4] },
  {
    title: '暑期少儿托管班',
    state: 'withdrawn',
    days: [-140, -80],
    stay: 4,
    link: 'activity_detail',
    sort: 50,
  },
];

/** Launch pages of the year, with how often they were shown and clicked. */
export const demo = defineDemo({
  key: 'launchAdverts',
  after: ['jumpLinks', 'appModules'],
  run: async ({ tx, platform, base, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    // Days begin at midnight in business time.
    const midnight = (days: number) =>
      new Date(Math.floor((at(days).getTime() + 8 * 3_600_000) / DAY) * DAY - 8 * 3_600_000);
    const store = openFileStore(platform.config);
    const files: Record<string, unknown>[] = [];
    for (let number = 0; number < 4; number++) {
      const draft = await store.create();
      await pipeline(Readable.from([launchPicture(number)]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      files.push({
        id: `0a992000-0000-4000-8000-${String(number + 1).padStart(12, '0')}`,
        name: `launch-${number + 1}.png`,
        type: 'image/png',
        size,
        sha256: `\\x${sha256.toString('hex')}`,
        storage_key: storageKey,
        access: 'picture',
        created_at: at(-150),
      });
    }
    await run(
      tx,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at)
       SELECT id, name, type, size, sha256, storage_key, access, created_at FROM jsonb_populate_recordset(NULL::stored_file, $1::jsonb)`,
      [JSON.stringify(files)],
    );
    const links = new Map(
      (await run<{ id: number; code: string }>(tx, 'SELECT id, code FROM jump_link')).map((row) => [
        row.code,
        row.id,
      ]),
    );
    for (const [index, page] of PAGES.entries()) {
      const made = midnight(page.state === 'draft' ? -2 : page.days[0] - 6);
      const ended = midnight(page.days[1]);
      const link = page.link === undefined ? undefined : links.get(page.link);
      const picture = files[index % files.length]!.id;
      const published = new Date(made.getTime() + 2 * DAY + 10 * 3_600_000);
      const [id] = await insert('launch_advert', [
        {
          title: page.title,
          android_image_id: picture,
          ios_image_id: picture,
          starts_at: midnight(page.days[0]),
          ends_at: ended,
          stay: page.stay,
          jump: link === undefined ? 'none' : 'link',
          jump_link_id: link ?? null,
          sort: page.sort,
          state: page.state,
          version: page.state === 'draft' ? 1 : page.state === 'published' ? 2 : 3,
          created_at: made,
          created_by: author.staffId,
          updated_at: page.state === 'draft' ? made : page.state === 'published' ? published : ended,
          updated_by: page.state === 'withdrawn' ? null : author.staffId,
        },
      ]);
      const projects = (page.projects ?? base.projects.map((_project, place) => place)).flatMap(
        (place) => base.projects[place] ?? [],
      );
      for (const project of projects)
        await run(tx, 'INSERT INTO launch_advert_project VALUES ($1, $2)', [id, project.id]);
      const { create, publish, expire } = launchAdvert.actions!;
      const told = { entity: 'launchAdvert', entityId: id! };
      await tell({ ...told, caller: author, action: 'create', label: create.label, to: 'draft', at: made });
      if (page.state === 'draft') continue;
      await tell({
        ...told,
        caller: author,
        action: 'publish',
        label: publish.label,
        from: 'draft',
        to: 'published',
        at: published,
      });
      if (page.state === 'withdrawn')
        await tell({
          ...told,
          caller: undefined,
          action: 'expire',
          label: expire.label,
          from: 'published',
          to: 'withdrawn',
          at: ended,
        });
      const until = Math.min(page.days[1], 0);
      for (let day = page.days[0]; day < until; day++)
        for (const project of projects) {
          const exposures = random.int(25, 140);
          const clicks = link === undefined ? 0 : Math.round(exposures * (0.04 + random.next() * 0.14));
          await run(
            tx,
            `INSERT INTO ad_metric (kind, advert_id, day, project_id, exposures, clicks, viewers, clickers)
             VALUES ('launch', $1, ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, $3, $4, $5, $6, $7)`,
            [
              id,
              at(day),
              project.id,
              exposures,
              clicks,
              Math.round(exposures * 0.6),
              Math.round(clicks * 0.9),
            ],
          );
        }
    }
  },
});
