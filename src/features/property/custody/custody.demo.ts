import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { houseCustody, INSPECTION_RESULTS } from './custody.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Pictures of the launch pages stand in for photographs of the house. */
const PHOTOS = ['0a992000-0000-4000-8000-000000000002', '0a992000-0000-4000-8000-000000000004'];

interface Sample {
  readonly service: 'letting' | 'inspection' | 'keys';
  readonly state: 'to_accept' | 'accepted' | 'completed' | 'cancelled';
  /** Days before now it was applied for. */
  readonly applied: number;
  /** Days from the beginning to the end. */
  readonly length: number;
  readonly keys: number;
  readonly out?: readonly [count: number, person: string, note: string];
  /** Days from now to the next inspection. */
  readonly next?: number;
  readonly visits?: number;
  readonly problem?: string;
  readonly remark: string;
  readonly reason?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    service: 'inspection',
    state: 'accepted',
    applied: 70,
    length: 180,
    keys: 1,
    next: 0,
    visits: 3,
    remark: '业主出国半年，请每两周开窗通风、检查水电',
  },
  {
    service: 'inspection',
    state: 'accepted',
    applied: 46,
    length: 120,
    keys: 1,
    next: -2,
    visits: 2,
    problem: '厨房水槽下方有渗水，已关闭角阀并拍照告知业主',
    remark: '老人住院，房屋空置',
  },
  {
    service: 'inspection',
    state: 'accepted',
    applied: 21,
    length: 90,
    keys: 2,
    next: 6,
    visits: 1,
    remark: '雨天后请看飘窗是否漏水',
  },
  {
    service: 'letting',
    state: 'accepted',
    applied: 33,
    length: 365,
    keys: 3,
    out: [1, '安居中介 小周', '带客看房，当日归还'],
    visits: 1,
    remark: '整租，月租不低于 5200 元，不租给群租',
  },
  {
    service: 'letting',
    state: 'accepted',
    applied: 12,
    length: 365,
    keys: 2,
    remark: '合租亦可，需租客本人到服务中心登记',
  },
  {
    service: 'keys',
    state: 'accepted',
    applied: 58,
    length: 200,
    keys: 2,
    out: [2, '装修负责人 刘工', '室内翻新，预计两周'],
    remark: '装修期间保管备用钥匙',
  },
  { service: 'keys', state: 'accepted', applied: 9, length: 60, keys: 1, remark: '保洁每周三来取钥匙' },
  {
    service: 'inspection',
    state: 'to_accept',
    applied: 0.4,
    length: 45,
    keys: 1,
    remark: '春节回老家，请帮忙看房',
  },
  { service: 'keys', state: 'to_accept', applied: 1.2, length: 30, keys: 1, remark: '' },
  {
    service: 'letting',
    state: 'to_accept',
    applied: 2.3,
    length: 365,
    keys: 2,
    remark: '精装两房，可拎包入住',
  },
  {
    service: 'inspection',
    state: 'completed',
    applied: 150,
    length: 90,
    keys: 1,
    visits: 5,
    remark: '暑期空置巡查',
  },
  {
    service: 'letting',
    state: 'completed',
    applied: 210,
    length: 180,
    keys: 2,
    visits: 1,
    remark: '已租出，租期一年',
  },
  { service: 'keys', state: 'completed', applied: 120, length: 30, keys: 1, remark: '家电安装' },
  {
    service: 'inspection',
    state: 'cancelled',
    applied: 40,
    length: 60,
    keys: 0,
    remark: '',
    reason: '业主提前回来，不再需要',
  },
];

/** Houses in custody in every state, with what was found there and who had the keys. */
export const demo = defineDemo({
  key: 'houseCustody',
  after: ['launchAdverts'],
  run: async ({ tx, insert, tell, now, as }) => {
    const places = await run<{ household: number; house: number; project: number; code: string }>(
      tx,
      `SELECT DISTINCT ON (x.id) hh.id AS household, x.id AS house, x.project_id AS project, p.code
         FROM household hh JOIN house x ON x.id = hh.house_id JOIN project p ON p.id = x.project_id
        WHERE hh.status = 'normal' AND hh.identity = 'owner' ORDER BY x.id, hh.id`,
    );
    if (places.length < 40) return;
    const step = Math.floor(places.length / (SAMPLES.length + 1));
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    const dayText = (days: number) => new Date(at(days).getTime() + 8 * HOUR).toISOString().slice(0, 10);
    for (const [index, sample] of [...SAMPLES.entries()].sort((a, b) => b[1].applied - a[1].applied)) {
      const place = places[(index + 1) * step]!;
      const desk = as(place.code.startsWith('HZ') ? 'centre2.service' : 'centre1.service');
      const butler = as(place.code.startsWith('HZ') ? 'butler3' : index % 2 === 0 ? 'butler1' : 'butler2');
      const accepted = sample.state === 'accepted' || sample.state === 'completed';
      const applied = at(-sample.applied);
      const taken = new Date(applied.getTime() + 5 * HOUR);
      const ended =
        sample.state === 'completed'
          ? at(-sample.applied + sample.length + 1.4)
          : sample.state === 'cancelled'
            ? at(-sample.applied + 3.2)
            : undefined;
      const visits = sample.visits ?? 0;
      const steps = (accepted ? 1 : 0) + visits + (sample.out ? 1 : 0) + (ended ? 1 : 0);
      const lastVisit = (visit: number) => -sample.applied + 6 + visit * 13;
      const [id] = await insert('house_custody', [
        {
          code: await nextCode(tx, 'HC', applied),
          house_id: place.house,
          project_id: place.project,
          household_id: place.household,
          service: sample.service,
          starts_on: dayText(-sample.applied + 1),
          ends_on: dayText(-sample.applied + sample.length),
          keys: sample.keys,
          keys_out: sample.out?.[0] ?? 0,
          key_no:
            accepted && sample.keys > 0
              ? `${'ABC'[index % 3]}-${String(7 + index * 3).padStart(2, '0')}`
              : '',
          remark: sample.remark,
          state: sample.state,
          handler_id: accepted ? butler.staffId : null,
          accepted_at: accepted ? taken : null,
          next_inspection_on: sample.next === undefined ? null : dayText(sample.next),
          // Whoever handles it knows of days that have passed already.
          told_on: sample.next !== undefined && sample.next < 0 ? dayText(sample.next) : null,
          ended_at: ended ?? null,
          cancel_reason: sample.reason ?? '',
          version: 1 + steps,
          created_at: applied,
          created_by: desk.staffId,
          updated_at: ended ?? (accepted ? taken : applied),
          updated_by: (accepted ? butler : desk).staffId,
        },
      ]);
      const actions = houseCustody.actions!;
      const told = { entity: houseCustody.name, entityId: id! };
      await tell({
        ...told,
        caller: desk,
        action: 'create',
        label: actions.create.event ?? actions.create.label,
        to: 'to_accept',
        at: applied,
      });
      if (sample.state === 'cancelled')
        await tell({
          ...told,
          caller: desk,
          action: 'cancel',
          label: actions.cancel.label,
          from: 'to_accept',
          to: 'cancelled',
          remark: sample.reason!,
          at: ended!,
        });
      if (!accepted) continue;
      await tell({
        ...told,
        caller: butler,
        action: 'handle',
        label: actions.handle.label,
        from: 'to_accept',
        to: 'accepted',
        at: taken,
      });
      for (let visit = 0; visit < visits; visit++) {
        const last = visit === visits - 1;
        const result = last && sample.problem ? 'problem' : 'normal';
        const note =
          last && sample.problem
            ? sample.problem
            : ['门窗、水电正常，已开窗通风', '室内干燥，无渗漏', '已清理门口快递与广告'][visit % 3]!;
        const when = at(lastVisit(visit));
        await insert('custody_inspection', [
          {
            custody_id: id!,
            inspected_on: dayText(lastVisit(visit)),
            result,
            note,
            image_ids: PHOTOS.slice(0, 1 + (visit % 2)),
            staff_id: butler.staffId,
            at: when,
          },
        ]);
        await tell({
          ...told,
          caller: butler,
          action: 'inspect',
          label: actions.inspect.label,
          remark: `${dayText(lastVisit(visit))} ${INSPECTION_RESULTS[result].label[0]}：${note}`,
          at: when,
        });
      }
      if (sample.out) {
        const [count, person, note] = sample.out;
        const when = at(-1.2);
        await insert('custody_key_move', [
          { custody_id: id!, direction: 'out', count, person, note, staff_id: desk.staffId, at: when },
        ]);
        await tell({
          ...told,
          caller: desk,
          action: 'keyOut',
          label: actions.keyOut.label,
          remark: `${person} × ${count}`,
          at: when,
        });
      }
      if (sample.state === 'completed')
        await tell({
          ...told,
          caller: butler,
          action: 'finish',
          label: actions.finish.label,
          from: 'accepted',
          to: 'completed',
          at: ended!,
        });
    }
  },
});
