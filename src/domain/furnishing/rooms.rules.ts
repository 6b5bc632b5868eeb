import type { Label } from '../../kernel/contract/label.ts';

/** Kinds of rooms of a house type. */
export const ROOM_KINDS = {
  living: { label: ['客厅', 'Living room'] },
  dining: { label: ['餐厅', 'Dining room'] },
  master: { label: ['主卧', 'Master bedroom'] },
  bedroom: { label: ['次卧', 'Bedroom'] },
  study: { label: ['书房', 'Study'] },
  kitchen: { label: ['厨房', 'Kitchen'] },
  bath: { label: ['卫生间', 'Bathroom'] },
  balcony: { label: ['阳台', 'Balcony'] },
  hall: { label: ['玄关', 'Hall'] },
} as const satisfies Readonly<Record<string, { readonly label: Label }>>;

export type RoomKind = keyof typeof ROOM_KINDS;

/** A room as it is kept: its area in m² with two decimals. */
export interface Room {
  readonly kind: RoomKind;
  readonly name: string;
  readonly area: string;
}

/** An area in hundredths of a m², so that sums are exact. */
export function areaUnits(area: string | number): number {
  return Math.round(Number(area) * 100);
}

/** Area of all rooms of a kind, in hundredths of a m². */
export function roomArea(rooms: readonly Room[], kind: RoomKind): number {
  return rooms.reduce((sum, room) => (room.kind === kind ? sum + areaUnits(room.area) : sum), 0);
}

/** Why rooms, inner and built area do not fit each other, by field. */
export function areaProblems(
  rooms: readonly Pick<Room, 'area'>[],
  inner: string | number,
  built: string | number,
): Record<string, Label> {
  const problems: Record<string, Label> = {};
  if (areaUnits(inner) > areaUnits(built))
    problems.innerArea = ['套内面积不能大于建筑面积', 'The inner area is not above the built area'];
  if (rooms.reduce((sum, room) => sum + areaUnits(room.area), 0) > areaUnits(inner))
    problems.rooms = ['房间面积合计大于套内面积', 'Rooms exceed the inner area'];
  return problems;
}

/** Rooms as a sheet names them, `客厅 28.50；主卧 大卧室 15.20`; undefined when one cannot be read. */
export function roomsFromText(text: string): readonly Room[] | undefined {
  const rooms: Room[] = [];
  for (const part of text.split(/[;；、]/).map((one) => one.trim())) {
    if (part === '') continue;
    const words = part.split(/[\s:：]+/);
    const kind = (Object.keys(ROOM_KINDS) as RoomKind[]).find((one) =>
      ROOM_KINDS[one].label.some((label) => label.toLowerCase() === words[0]!.toLowerCase()),
    );
    const area = words.at(-1)!;
    if (!kind || words.length < 2 || !/^\d{1,3}(\.\d{1,2})?$/.test(area) || Number(area) <= 0)
      return undefined;
    const name = words.slice(1, -1).join(' ') || ROOM_KINDS[kind].label[0];
    if (Array.from(name).length > 20) return undefined;
    rooms.push({ kind, name, area: Number(area).toFixed(2) });
  }
  return rooms.length > 0 && rooms.length <= 30 ? rooms : undefined;
}

/** A name that no other of a project has: the name itself, else with 副本, 副本2 … behind it. */
export function copiedName(name: string, taken: ReadonlySet<string>): string {
  const free = (one: string) => !taken.has(one.toLowerCase());
  if (free(name)) return name;
  for (let turn = 1; ; turn++) {
    const next = `${name}副本${turn === 1 ? '' : turn}`;
    if (free(next)) return next;
  }
}
