import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { appModule } from './app-module.contract.ts';
import { moduleIcon } from './module-icon.server.ts';

const DAY = 86_400_000;
const ICONS = 12;

interface Extra {
  readonly url?: string;
  readonly external?: true;
  readonly form?: string;
  /** Code of a business of the reference data. */
  readonly since?: string;
  readonly login?: true;
  readonly badge?: readonly [text: string, days: number];
  /** Projects by their place in the list. */
  readonly projects?: readonly number[];
  readonly off?: true;
}
type Entry = readonly [code: string, name: string, nameEn: string, extra?: Extra, below?: readonly Entry[]];

const h5 = (path: string) => `https://h5.example.com/${path}`;

const OWNER: readonly Entry[] = [
  [
    'property',
    '物业服务',
    'Property',
    {},
    [
      ['bill_pay', '物业缴费', 'Pay bills', { login: true }],
      [
        'repair',
        '报事报修',
        'Repairs',
        { login: true },
        [
          ['repair_home', '居家报修', 'At home', { login: true }],
          ['repair_public', '公区报事', 'Public areas', { login: true }],
          ['repair_video', '视频报修', 'By video', { login: true, since: '3.4.0', badge: ['新', 30] }],
        ],
      ],
      ['visitor', '访客通行', 'Visitors', { login: true, since: '2.1.0' }],
      ['open_door', '手机开门', 'Open the door', { login: true, since: '2.6.0', projects: [0, 1, 2, 3] }],
      ['parking', '停车缴费', 'Parking', { login: true, projects: [0, 1, 3] }],
      ['notice', '社区公告', 'Notices'],
      ['decoration', '装修办理', 'Renovation', { login: true, url: h5('decoration') }],
    ],
  ],
  [
    'mall',
    '优选商城',
    'Mall',
    { form: 'mall' },
    [
      ['mall_home', '商城首页', 'Mall home', { form: 'mall' }],
      ['group_buy', '邻里团购', 'Group buying', { form: 'group', badge: ['拼团', 12] }],
      ['finds', '好物探访', 'Good finds', { form: 'finds', since: '3.0.0' }],
      ['coupons', '领券中心', 'Coupons', { login: true, url: h5('coupons') }],
      ['points_shop', '积分商城', 'Points shop', { login: true }],
    ],
  ],
  [
    'home_service',
    '到家服务',
    'Home services',
    { form: 'recommended' },
    [
      ['cleaning', '家政保洁', 'Cleaning', { login: true, form: 'recommended' }],
      ['appliance', '家电清洗', 'Appliances', { login: true, form: 'recommended' }],
      ['maintenance', '维修上门', 'Maintenance', { login: true }],
    ],
  ],
  [
    'life',
    '社区生活',
    'Community',
    {},
    [
      ['circle', '业主圈', "Owners' circle"],
      ['activity', '社区活动', 'Activities', { badge: ['报名中', 5] }],
      ['vote', '业主投票', 'Votes', { login: true, since: '3.2.0' }],
      ['bank', '生活缴费', 'Utilities', { external: true, url: 'https://pay.example.com/utilities' }],
      ['old_bbs', '旧版论坛', 'Old forum', { url: h5('bbs'), off: true }],
    ],
  ],
];

const STAFF: readonly Entry[] = [
  [
    'work',
    '工作台',
    'Desk',
    {},
    [
      ['orders', '工单处理', 'Work orders', { login: true }],
      ['rounds', '设备巡检', 'Rounds', { login: true, since: '1.8.0' }],
      ['attendance', '考勤打卡', 'Attendance', { login: true }],
      ['approval', '审批', 'Approvals', { login: true, badge: ['新', 20] }],
    ],
  ],
  [
    'residents',
    '住户服务',
    'Residents',
    {},
    [
      ['house', '房屋查询', 'Homes', { login: true }],
      ['dunning', '催缴管理', 'Dunning', { login: true, projects: [0, 2] }],
      ['training', '在线学习', 'Training', { login: true, url: h5('training') }],
    ],
  ],
];

/** The entries both apps begin with. */
export const demo = defineDemo({
  key: 'appModules',
  run: async ({ tx, insert, tell, now, as, base, platform }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    const store = openFileStore(platform.config);
    const icons: string[] = [];
    const files: Record<string, unknown>[] = [];
    for (let number = 0; number < ICONS; number++) {
      const draft = await store.create();
      await pipeline(Readable.from([moduleIcon(number)]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      const id = `0a991000-0000-4000-8000-${String(number + 1).padStart(12, '0')}`;
      icons.push(id);
      files.push({
        id,
        name: `module-${number + 1}.png`,
        type: 'image/png',
        size,
        sha256: `\\x${sha256.toString('hex')}`,
        storage_key: storageKey,
        access: 'picture',
        created_at: at(-300),
      });
    }
    await run(
      tx,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at)
       SELECT id, name, type, size, sha256, storage_key, access, created_at FROM jsonb_populate_recordset(NULL::stored_file, $1::jsonb)`,
      [JSON.stringify(files)],
    );
    let count = 0;
    const add = async (system: string, entries: readonly Entry[], parent: number | null): Promise<void> => {
      for (const [index, [code, name, nameEn, extra = {}, below]] of entries.entries()) {
        const made = at(-280 + count * 2);
        const [id] = await insert('app_module', [
          {
            system,
            parent_id: parent,
            // The roots of both apps stand in one list: those of the owner app first.
            position: (system === 'staff' && parent === null ? OWNER.length : 0) + index + 1,
            code,
            name,
            name_en: nameEn,
            logo_id: icons[count % ICONS],
            show_type: extra.external ? 'external' : extra.url ? 'internal' : 'native',
            page_form: extra.form ?? 'plain',
            url: extra.url ?? '',
            ios_min: extra.since ?? '',
            android_min: extra.since ?? '',
            needs_login: extra.login ?? false,
            badge: extra.badge?.[0] ?? '',
            badge_until: extra.badge ? at(extra.badge[1]) : null,
            enabled: !extra.off,
            version: extra.off ? 2 : 1,
            created_at: made,
            created_by: author.staffId,
            updated_at: extra.off ? at(-40) : made,
            updated_by: author.staffId,
          },
        ]);
        count++;
        const told = { entity: 'appModule', entityId: id!, caller: author };
        await tell({ ...told, action: 'create', label: appModule.actions!.create.label, at: made });
        if (extra.off)
          await tell({ ...told, action: 'disable', label: appModule.actions!.disable.label, at: at(-40) });
        const projects = (extra.projects ?? []).flatMap((place) => base.projects[place] ?? []);
        await run(tx, 'INSERT INTO app_module_project SELECT $1, unnest($2::bigint[])', [
          id,
          projects.map((project) => project.id),
        ]);
        if (below) await add(system, below, id!);
      }
    };
    await add('owner', OWNER, null);
    await add('staff', STAFF, null);
  },
});
