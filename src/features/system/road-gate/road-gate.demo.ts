import { defineDemo } from '../../../kernel/server/demo.ts';
import { roadGate } from './road-gate.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Entrances of a project: code, name, lot, direction. */
const ENTRANCES = [
  ['N', '北门入口', '地面车场', 'in'],
  ['S', '南门出口', '地面车场', 'out'],
  ['B', '地库出入口', '地下车库', 'both'],
] as const;

const PROVINCES = ['京A', '京N', '冀R', '沪A', '浙A'];
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const REASONS = [
  '访客车辆未登记，已核实身份',
  '救护车进入',
  '车牌识别失败，业主本人',
  '搬家车辆，物业已报备',
];

/** Gates of every project with a week of cars; one has a fault, one lost its line. */
export const demo = defineDemo({
  key: 'roadGates',
  run: async ({ base, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const made = new Date(now.getTime() - 150 * DAY);
    const lostAt = new Date(now.getTime() - 5 * HOUR);
    const faultAt = new Date(now.getTime() - 90 * MINUTE);
    const rows = base.projects.flatMap((project, index) =>
      ENTRANCES.slice(0, index % 3 === 2 ? 2 : 3).map(([letter, name, lot, direction], at) => {
        const state = index === 1 && at === 1 ? 'offline' : index === 3 && at === 0 ? 'fault' : 'online';
        // There are no devices behind these rows: those that live are the sandbox's.
        const number = `${String(index + 1).padStart(2, '0')}${letter}${random.digits(6)}`;
        const last = {
          online: {
            at: new Date(now.getTime() - random.int(3, 50) * MINUTE),
            kind: direction === 'out' ? 'exit' : 'enter',
          },
          offline: { at: lostAt, kind: 'lost' },
          fault: { at: faultAt, kind: 'fault' },
        }[state]!;
        return {
          code: `${project.code}-${letter}`,
          name: `${project.name}${name}`,
          project_id: project.id,
          lot,
          direction,
          vendor: 'sandbox',
          device_no: state === 'offline' ? `JS${number}` : `SIM${number}`,
          qr: random.uuid().replaceAll('-', ''),
          state,
          last_heartbeat_at:
            state === 'offline' ? lostAt : new Date(now.getTime() - random.int(2, 40) * 1000),
          last_event_at: last.at,
          last_event_kind: last.kind,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        };
      }),
    );
    const ids = await insert('road_gate', rows);
    const events: Record<string, unknown>[] = [];
    const add = (id: number, at: Date, kind: string, more: object = {}) =>
      events.push({ gate_id: id, at, kind, plate: '', operator_id: null, reason: '', outcome: '', ...more });
    for (const [index, id] of ids.entries()) {
      const row = rows[index]!;
      const told = { entity: 'roadGate', entityId: id };
      await tell({
        ...told,
        caller: author,
        action: 'create',
        label: roadGate.actions!.create!.label,
        to: 'offline',
        at: made,
      });
      const turn = async (name: 'recover' | 'lose' | 'fail', at: Date, from: string) => {
        const spec = roadGate.actions![name]!;
        add(id, at, { recover: 'back', lose: 'lost', fail: 'fault' }[name]);
        await tell({
          ...told,
          caller: undefined,
          action: name,
          label: spec.label,
          from,
          to: String(spec.to),
          at,
        });
      };
      await turn('recover', new Date(made.getTime() + 2 * HOUR), 'offline');
      // Now and then a line breaks for a while.
      if (index % 4 === 1) {
        const broke = new Date(now.getTime() - random.int(30, 130) * HOUR);
        await turn('lose', broke, 'online');
        await turn('recover', new Date(broke.getTime() + random.int(8, 190) * MINUTE), 'offline');
      }
      if (row.state === 'offline') await turn('lose', lostAt, 'online');
      if (row.state === 'fault') await turn('fail', faultAt, 'online');
      const until = row.last_event_at.getTime();
      for (let at = until; at > now.getTime() - 7 * DAY; at -= random.int(15, 240) * MINUTE) {
        const kind =
          row.direction === 'in'
            ? 'enter'
            : row.direction === 'out'
              ? 'exit'
              : random.pick(['enter', 'exit']);
        if (row.state !== 'online' && at === until) continue;
        add(id, new Date(at), at === until ? row.last_event_kind : kind, {
          plate: `${random.pick(PROVINCES)}${random.pick([...LETTERS])}${random.digits(4)}`,
        });
      }
      if (index % 3 === 0) {
        const reason = random.pick(REASONS);
        const at = new Date(now.getTime() - random.int(20, 150) * HOUR);
        add(id, at, 'open', { operator_id: author.staffId, reason, outcome: 'opened' });
        await tell({
          ...told,
          caller: author,
          action: 'open',
          label: roadGate.actions!.open!.label,
          remark: reason,
          at,
        });
      }
    }
    for (let from = 0; from < events.length; from += 500)
      await insert('road_gate_event', events.slice(from, from + 500));
  },
});
