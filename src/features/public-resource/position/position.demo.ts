import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { planPicture } from '../../home-furnishing/house-type/plan-picture.server.ts';
import { position } from './position.contract.ts';

const DAY = 86_400_000;

interface Model {
  readonly type: string;
  readonly code: string;
  readonly name: string;
  readonly location: string;
  /** Width and height in mm, or m². */
  readonly size: readonly [number, number] | number;
  /** List and floor price of a month, in yuan. */
  readonly price: readonly [number, number];
  readonly pin?: readonly [number, number];
  readonly off?: true;
}

const MODELS: readonly Model[] = [
  {
    type: 'lift_frame',
    code: 'GG-001',
    name: '1号楼电梯框架 A',
    location: '1号楼 1 单元电梯轿厢左侧',
    size: [600, 800],
    price: [380, 260],
    pin: [1500, 2200],
  },
  {
    type: 'lift_frame',
    code: 'GG-002',
    name: '1号楼电梯框架 B',
    location: '1号楼 1 单元电梯轿厢右侧',
    size: [600, 800],
    price: [380, 260],
    pin: [2100, 2200],
  },
  {
    type: 'lift_frame',
    code: 'GG-003',
    name: '2号楼电梯框架',
    location: '2号楼 1 单元电梯轿厢',
    size: [600, 800],
    price: [360, 260],
    pin: [3400, 1900],
  },
  {
    type: 'gate',
    code: 'GG-010',
    name: '南门道闸广告',
    location: '南门出入口道闸杆',
    size: [3000, 400],
    price: [1200, 800],
    pin: [5000, 9200],
  },
  {
    type: 'light_box',
    code: 'GG-012',
    name: '南门灯箱',
    location: '南门人行入口右侧',
    size: [1500, 3000],
    price: [2600, 1800],
    pin: [5600, 8800],
  },
  {
    type: 'light_box',
    code: 'GG-013',
    name: '地库灯箱',
    location: '地下车库 A 区坡道',
    size: [2400, 1200],
    price: [1500, 1000],
    pin: [2600, 7400],
  },
  {
    type: 'led',
    code: 'GG-020',
    name: '中心广场 LED 屏',
    location: '中心广场东侧',
    size: [6000, 3500],
    price: [9800, 7500],
    pin: [6800, 4800],
  },
  {
    type: 'lobby',
    code: 'ZW-001',
    name: '会所大堂展位',
    location: '会所一层大堂',
    size: 12,
    price: [4800, 3500],
    pin: [8000, 2400],
  },
  {
    type: 'square',
    code: 'CD-001',
    name: '中心广场场地',
    location: '中心广场',
    size: 180,
    price: [12000, 8000],
    pin: [5200, 5000],
  },
  {
    type: 'shop',
    code: 'PW-101',
    name: '底商 101',
    location: '1号楼底商',
    size: 86.5,
    price: [16000, 13000],
    pin: [900, 8600],
  },
  {
    type: 'shop',
    code: 'PW-102',
    name: '底商 102',
    location: '1号楼底商',
    size: 64,
    price: [11800, 9500],
    pin: [1700, 8600],
  },
  {
    type: 'device',
    code: 'SB-001',
    name: '快递柜机位',
    location: '南门岗亭旁',
    size: [2400, 2000],
    price: [800, 500],
    pin: [6200, 9000],
  },
  {
    type: 'device',
    code: 'SB-002',
    name: '售水机机位',
    location: '3号楼架空层',
    size: [900, 2000],
    price: [450, 300],
    off: true,
  },
];

interface Stay {
  readonly kind: 'lease' | 'hold' | 'repair';
  /** First and last day, from today. */
  readonly days: readonly [number, number];
  readonly reason: string;
  readonly client?: true;
  /** Days until a hold ends; in the past: it did. */
  readonly until?: number;
  readonly released?: number;
}

/** What positions have, one list after another: of a list none overlap. */
const STAYS: readonly (readonly Stay[])[] = [
  [
    { kind: 'lease', days: [-420, -240], reason: '上一期投放', client: true },
    { kind: 'lease', days: [-180, 120], reason: '年度投放', client: true },
  ],
  [{ kind: 'lease', days: [-300, 26], reason: '年度投放', client: true }],
  [
    { kind: 'lease', days: [-200, -40], reason: '开业宣传', client: true },
    { kind: 'hold', days: [10, 100], reason: '客户选点中', client: true, until: 6 },
  ],
  [{ kind: 'repair', days: [-3, 5], reason: '道闸杆更换' }],
  [
    { kind: 'lease', days: [-330, -60], reason: '品牌投放', client: true },
    { kind: 'hold', days: [20, 50], reason: '春节档期', until: -20, released: -20 },
  ],
  [{ kind: 'repair', days: [-90, -80], reason: '灯管与镇流器更换' }],
  [
    { kind: 'lease', days: [-150, -61], reason: '季度投放', client: true },
    { kind: 'lease', days: [-60, 58], reason: '季度投放', client: true },
    { kind: 'hold', days: [59, 150], reason: '续投意向', client: true, until: 9 },
  ],
  [{ kind: 'hold', days: [0, 14], reason: '周末推广活动', until: 3 }],
  [
    { kind: 'lease', days: [-30, -28], reason: '邻里市集', client: true },
    { kind: 'lease', days: [25, 27], reason: '新年市集', client: true },
  ],
  [{ kind: 'lease', days: [-400, 320], reason: '商铺租赁', client: true }],
  [],
  [{ kind: 'lease', days: [-500, 85], reason: '设备进场', client: true }],
  [],
];

/** Positions of four projects with a floor plan, a past, a present and what is to come. */
export const demo = defineDemo({
  key: 'positions',
  after: ['commercial-clients'],
  run: async ({ tx, platform, base, insert, tell, random, now, as }) => {
    const people = [as('mall1'), as('mall2')];
    const today = businessDayOf(now);
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    const types = await run<{ id: number; val: string }>(
      tx,
      `SELECT v.id, v.val FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL`,
    );
    const clients = await run<{ id: number }>(tx, 'SELECT id FROM client ORDER BY id');
    const plan = await planFile();
    for (const [place, project] of base.projects.slice(0, 4).entries())
      for (const [index, model] of MODELS.entries()) {
        // The smaller projects have fewer.
        if (place > 1 && (index + place) % 3 === 0) continue;
        const made = at(-560 + place * 20 + index);
        const author = people[place % 2]!;
        const [list, floor] = model.price.map((yuan) => Math.round(yuan * (100 - place * 8))) as [
          number,
          number,
        ];
        const [width, height] = typeof model.size === 'number' ? [null, null] : model.size;
        // With its schema: the bare word is no name of a type.
        const [id] = await insert('public.position', [
          {
            code: model.code,
            name: model.name,
            project_id: project.id,
            type_id: types.find((one) => one.val === model.type)!.id,
            location: model.location,
            width_mm: width,
            height_mm: height,
            area: typeof model.size === 'number' ? model.size : null,
            list_price: list,
            floor_price: floor,
            plan_id: model.pin ? plan : null,
            pin_x: model.pin?.[0] ?? null,
            pin_y: model.pin?.[1] ?? null,
            enabled: !model.off,
            created_at: made,
            created_by: author.staffId,
            updated_at: made,
            updated_by: author.staffId,
          },
        ]);
        await insert('position_price', [
          {
            position_id: id,
            list_price: Math.round(list * 0.9),
            floor_price: floor,
            at: made,
            staff_id: author.staffId,
          },
          { position_id: id, list_price: list, floor_price: floor, at: at(-200), staff_id: author.staffId },
        ]);
        const told = (action: 'create' | 'price' | 'disable' | 'hold' | 'repair', when: Date, remark = '') =>
          tell({
            entity: position.name,
            entityId: id!,
            caller: author,
            action,
            label: position.actions![action].label as Label,
            at: when,
            ...(remark ? { remark } : {}),
          });
        await told('create', made);
        await told('price', at(-200), '按比例 +11%');
        if (model.off) await told('disable', at(-100));
        for (const stay of STAYS[index]!) {
          if (model.off) continue;
          const [from, to] = stay.days.map((days) => addDays(today, days + place * 7)) as [string, string];
          const begun = at(Math.min(stay.days[0] - 5, -1));
          await insert('position_occupancy', [
            {
              position_id: id,
              kind: stay.kind,
              from_on: from,
              to_on: to,
              holder_id: stay.kind === 'hold' ? author.staffId : null,
              client_id: stay.client ? random.pick(clients).id : null,
              reason: stay.reason,
              expires_at: stay.until === undefined ? null : at(stay.until),
              released_at: stay.released === undefined ? null : at(stay.released),
              release_reason: stay.released === undefined ? '' : '到期',
              expired: stay.released !== undefined,
              told_at: stay.released === undefined ? null : at(stay.released),
              created_at: begun,
              created_by: author.staffId,
              updated_at: begun,
              updated_by: author.staffId,
            },
          ]);
          if (stay.kind !== 'lease') await told(stay.kind, begun, `${from} – ${to} · ${stay.reason}`);
        }
      }

    /** One plan of the grounds, the same for all. */
    async function planFile(): Promise<string> {
      const draft = await openFileStore(platform.config).create();
      const rooms = (
        [
          ['bath', '40.00'],
          ['bedroom', '36.00'],
          ['balcony', '90.00'],
          ['living', '60.00'],
          ['kitchen', '30.00'],
          ['hall', '54.00'],
        ] as const
      ).map(([kind, area]) => ({ kind, area, name: '' }));
      await pipeline(Readable.from([planPicture(rooms)]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      const id = '0a992000-0000-4000-8000-000000001701';
      await run(
        tx,
        `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at) VALUES ($1, '总平面图.png', 'image/png', $2, $3, $4, 'picture', $5)`,
        [id, size, sha256, storageKey, at(-600)],
      );
      return id;
    }
  },
});
