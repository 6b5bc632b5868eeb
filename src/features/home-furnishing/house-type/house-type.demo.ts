import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Room, RoomKind } from '../../../domain/furnishing/rooms.rules.ts';
import { ROOM_KINDS } from '../../../domain/furnishing/rooms.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { houseType } from './house-type.contract.ts';
import { planPicture } from './plan-picture.server.ts';

const DAY = 86_400_000;
type Sample = readonly [
  name: string,
  built: string,
  inner: string,
  orientation: string,
  rooms: readonly (readonly [RoomKind, string, string?])[],
];

const SAMPLES: readonly Sample[] = [
  [
    'A户型 三室两厅两卫',
    '125.80',
    '101.60',
    'sn',
    [
      ['living', '26.40'],
      ['dining', '12.80'],
      ['master', '18.20'],
      ['bedroom', '12.60', '次卧一'],
      ['bedroom', '10.40', '次卧二'],
      ['kitchen', '7.20'],
      ['bath', '4.80', '主卫'],
      ['bath', '4.20', '客卫'],
      ['balcony', '5.00'],
    ],
  ],
  [
    'B户型 两室一厅一卫',
    '89.36',
    '72.10',
    's',
    [
      ['living', '28.50'],
      ['master', '14.60'],
      ['bedroom', '10.20'],
      ['kitchen', '6.40'],
      ['bath', '4.60'],
      ['balcony', '4.80'],
      ['hall', '3.00'],
    ],
  ],
  [
    'C户型 一室一厅',
    '52.40',
    '41.30',
    'e',
    [
      ['living', '16.20'],
      ['master', '12.40'],
      ['kitchen', '5.20'],
      ['bath', '4.10'],
      ['balcony', '3.40'],
    ],
  ],
  [
    'D户型 四室两厅两卫',
    '168.90',
    '139.50',
    'sn',
    [
      ['living', '34.00'],
      ['dining', '16.50'],
      ['master', '22.80'],
      ['bedroom', '14.20', '次卧一'],
      ['bedroom', '13.10', '次卧二'],
      ['study', '9.80'],
      ['kitchen', '9.60'],
      ['bath', '6.20', '主卫'],
      ['bath', '4.60', '客卫'],
      ['balcony', '7.40'],
    ],
  ],
];

/** Types of the projects, bound to most of their houses by area; one imported without picture, one that is not built any more. */
export const demo = defineDemo({
  key: 'houseTypes',
  after: ['launchAdverts'],
  run: async ({ tx, platform, base, insert, tell, random, now, as }) => {
    const author = as('centre1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const store = openFileStore(platform.config);
    const layouts: string[] = [];
    for (const [index, sample] of SAMPLES.entries()) {
      const draft = await store.create();
      await pipeline(Readable.from([planPicture(roomsOf(sample))]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      const id = `0a992000-0000-4000-8000-${String(901 + index).padStart(12, '0')}`;
      await run(
        tx,
        `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at) VALUES ($1, $2, 'image/png', $3, $4, $5, 'picture', $6)`,
        [id, `${sample[0]}.png`, size, sha256, storageKey, at(200)],
      );
      layouts.push(id);
    }
    let number = 0;
    for (const [place, project] of base.projects.entries())
      for (const [index, sample] of SAMPLES.entries()) {
        if ((place + index) % 4 === 3 && place > 0) continue;
        const days = 180 - place * 17 - index * 3;
        const imported = place === 2 && index === 2;
        const off = imported || (place === 1 && index === 0);
        const [id] = await insert('house_type', [
          {
            code: `HT20260101${String(++number).padStart(6, '0')}`,
            project_id: project.id,
            name: sample[0],
            rooms: roomsOf(sample),
            built_area: sample[1],
            inner_area: sample[2],
            orientation: sample[3],
            layout_id: imported ? null : layouts[index],
            photo_ids: [],
            enabled: !off,
            created_at: at(days),
            created_by: author.staffId,
            updated_at: at(days - (off ? 20 : 0)),
            updated_by: author.staffId,
          },
        ]);
        const told = { entity: houseType.name, entityId: id!, caller: author };
        await tell({ ...told, action: 'create', label: ['新增', 'Added'], at: at(days) });
        if (off && !imported)
          await tell({
            ...told,
            action: 'disable',
            label: houseType.actions!.disable!.label,
            at: at(days - 20),
          });
        if (off) continue;
        const share = random.int(70, 95);
        const bound = await run(
          tx,
          `UPDATE house SET house_type_id = $1 WHERE project_id = $2 AND merged_into_id IS NULL AND id % 100 < $3
              AND built_area IS NOT NULL AND abs(built_area - $4) <= 20 AND house_type_id IS NULL RETURNING id`,
          [id, project.id, share, sample[1]],
        );
        if (bound.length > 0)
          await tell({
            ...told,
            action: 'bind',
            label: houseType.actions!.bind!.label,
            remark: `绑定 ${bound.length} 套，解除 0 套`,
            at: at(days - 2),
          });
      }
  },
});

function roomsOf(sample: Sample): Room[] {
  return sample[4].map(([kind, area, name]) => ({ kind, area, name: name ?? ROOM_KINDS[kind].label[0] }));
}
