import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { signClient } from '../../../domain/commercial-client/client-stage.server.ts';
import { issueLine } from '../../../domain/contract/contract-money.server.ts';
import { holdForContract, leaseForContract } from '../../../domain/contract/contract-occupancy.server.ts';
import {
  keepContractVersion,
  lockContract,
  partsOf,
  termsOf,
  writePlan,
} from '../../../domain/contract/contract-terms.server.ts';
import { makePosition, monthlyRent } from '../../../domain/space/space.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { planPicture } from '../../home-furnishing/house-type/plan-picture.server.ts';
import { contract, contractMine } from '../../public-resource/contract/contract.contract.ts';
import { projectProgress, space } from './space.contract.ts';

const DAY = 86_400_000;

interface Stay {
  readonly kind: 'lease' | 'hold' | 'repair';
  /** First and last day, from today. */
  readonly days: readonly [number, number];
  readonly reason: string;
}

interface Model {
  readonly number: string;
  readonly floor: number;
  readonly kind: 'shop' | 'office' | 'venue' | 'kiosk';
  /** Built and usable area, in 0.01 m². */
  readonly area: readonly [number, number];
  readonly format: string;
  /** Yuan per m² and month. */
  readonly rent: number;
  readonly pin: readonly [number, number];
  readonly stays: readonly Stay[];
}

const shop = (
  number: string,
  floor: number,
  area: readonly [number, number],
  rent: number,
  pin: readonly [number, number],
  ...stays: readonly Stay[]
): Model => ({ number, floor, kind: 'shop', area, format: 'street', rent, pin, stays });
const lease = (from: number, to: number): Stay => ({ kind: 'lease', days: [from, to], reason: '商铺租赁' });

const MODELS: readonly Model[] = [
  shop('A-101', 1, [10_000, 8_200], 180, [1_500, 2_500], lease(-400, 330)),
  shop('A-102', 1, [15_200, 12_400], 165, [3_200, 2_500], {
    kind: 'hold',
    days: [5, 370],
    reason: '餐饮客户选铺中',
  }),
  shop('A-103', 1, [8_650, 7_000], 175, [4_900, 2_500], lease(-640, -35)),
  shop('A-104', 1, [6_400, 5_150], 190, [6_600, 2_500], lease(-300, 64)),
  shop('A-105', 1, [9_820, 8_000], 180, [8_300, 2_500], {
    kind: 'repair',
    days: [-4, 12],
    reason: '更换卷帘门与配电箱',
  }),
  shop('A-201', 2, [22_600, 18_800], 120, [2_400, 6_800]),
  shop('A-202', 2, [18_050, 15_100], 125, [5_200, 6_800], lease(-20, 344)),
  {
    number: 'B-201',
    floor: 2,
    kind: 'office',
    area: [31_500, 25_600],
    format: 'mall',
    rent: 85,
    pin: [8_000, 6_800],
    stays: [lease(-210, 155)],
  },
  {
    number: 'K-01',
    floor: 1,
    kind: 'kiosk',
    area: [900, 900],
    format: 'kiosk',
    rent: 420,
    pin: [5_000, 8_800],
    stays: [lease(-25, 65)],
  },
];

/** Spaces of three projects on their plan: let, held, under repair and vacant. */
export const demo = defineDemo({
  key: 'spaces',
  after: ['commercial-clients', 'positions', 'contracts'],
  run: async ({ tx, platform, base, insert, tell, random, now, as }) => {
    const people = [as('mall1'), as('mall2')];
    const today = businessDayOf(now);
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    const clients = await run<{ id: number }>(
      tx,
      `SELECT id FROM client WHERE state IN ('negotiating', 'signed', 'viewing') ORDER BY id`,
    );
    const formats = await run<{ id: number; val: string }>(
      tx,
      `SELECT v.id, v.val FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'space_type' AND v.parent_id IS NOT NULL`,
    );
    const plan = await planFile();
    for (const [place, project] of base.projects.slice(0, 3).entries()) {
      const author = people[place % 2]!;
      const building = (
        await run<{ id: number }>(tx, 'SELECT id FROM building WHERE project_id = $1 ORDER BY id LIMIT 1', [
          project.id,
        ])
      )[0]!;
      for (const [index, model] of MODELS.entries()) {
        // The smaller projects have fewer.
        if (place > 0 && (index + place) % 3 === 0) continue;
        const made = at(-700 + place * 20 + index);
        const [built, usable] = model.area;
        const rent = model.rent * (100 - place * 10);
        const row = {
          project_id: project.id,
          building_id: building.id,
          floor: model.floor,
          number: model.number,
          kind: model.kind,
          built_area: built,
          usable_area: usable,
          format_id: formats.find((one) => one.val === model.format)?.id ?? null,
          facilities: index % 2 === 0 ? '排烟、上下水、40 kW' : '上下水、20 kW',
          rent,
          rent_min: Math.round(rent * 0.85),
          delivered_on: addDays(today, -690),
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        };
        const id = await makePosition(tx, row, author.staffId);
        await run(
          tx,
          'UPDATE position SET plan_id = $2, pin_x = $3, pin_y = $4, created_at = $5, updated_at = $5 WHERE id = $1',
          [id, plan, ...model.pin, made],
        );
        await run(tx, 'UPDATE position_price SET at = $2 WHERE position_id = $1', [id, made]);
        await insert('space', [{ id, ...row }]);
        const told = { entityId: id, caller: author, at: made };
        await tell({
          ...told,
          entity: space.name,
          action: 'create',
          label: space.actions!.create.label,
        });
        await tell({
          ...told,
          entity: 'position',
          action: 'create',
          label: ['随铺位建立', 'Made with its space'],
        });
        // One is let by a contract, with its plan and receivables.
        if (place === 0 && model.number === 'A-202') {
          await letByContract(id, project.id, row);
          continue;
        }
        for (const stay of model.stays) {
          const [from, to] = stay.days.map((days) => addDays(today, days + place * 9)) as [string, string];
          const begun = at(Math.min(stay.days[0] - 6, -1));
          await insert('position_occupancy', [
            {
              position_id: id,
              kind: stay.kind,
              from_on: from,
              to_on: to,
              holder_id: stay.kind === 'hold' ? author.staffId : null,
              client_id: stay.kind === 'repair' ? null : random.pick(clients).id,
              reason: stay.reason,
              expires_at: stay.kind === 'hold' ? at(7) : null,
              created_at: begun,
              created_by: author.staffId,
              updated_at: begun,
              updated_by: author.staffId,
            },
          ]);
          if (stay.kind === 'hold')
            await tell({
              entity: space.name,
              entityId: id,
              caller: author,
              action: 'hold',
              label: space.actions!.hold.label,
              at: begun,
              remark: `${from} – ${to} · ${stay.reason}`,
            });
        }
      }
      for (const [days, content] of [
        [-60, '一层临街铺位完成立面更新，开始对外看铺'],
        [-18, '与两家餐饮品牌洽谈 A-102，排烟方案待消防确认'],
      ] as const) {
        const [id] = await insert('project_progress', [
          {
            project_id: project.id,
            on_day: addDays(today, days - place * 5),
            content,
            created_at: at(days),
            created_by: author.staffId,
            updated_at: at(days),
            updated_by: author.staffId,
          },
        ]);
        await tell({
          entity: projectProgress.name,
          entityId: id!,
          caller: author,
          action: 'create',
          label: projectProgress.actions!.create.label,
          at: at(days),
        });
      }
    }

    /** A lease of a client, approved lately: the client is signed by it. */
    async function letByContract(id: number, projectId: number, row: { rent: number; built_area: number }) {
      const [clerk, head] = [people[0]!, as('finance1')];
      const [from, to] = [addDays(today, -20), addDays(today, 344)];
      const price = monthlyRent(row.rent, row.built_area);
      const [found] = await run<{ kind: number; unit: number; client: number }>(
        tx,
        `SELECT (SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'contract_kind' AND v.val = 'shop') AS kind,
                (SELECT unit_id FROM project WHERE id = $1) AS unit, (SELECT id FROM client WHERE code = 'CLD00001') AS client`,
        [projectId],
      );
      const [contractId] = await insert('contract', [
        {
          code: 'CTS00001',
          name: 'A-202 商铺租赁合同',
          kind_id: found!.kind,
          project_id: projectId,
          party_a_id: found!.unit,
          client_id: found!.client,
          owner_id: clerk.staffId,
          starts_on: from,
          ends_on: to,
          due_offset: 45,
          deposit: price,
          deposit_due_on: addDays(today, 25),
          state: 'active',
          submitted_by: clerk.staffId,
          submitted_at: at(-26),
          approved_at: at(-24),
          created_at: at(-27),
          created_by: clerk.staffId,
          updated_at: at(-24),
          updated_by: clerk.staffId,
        },
      ]);
      await insert('contract_position', [
        { contract_id: contractId, position: 1, place_id: id, from_on: from, to_on: to, price },
      ]);
      const parts = await partsOf(tx, contractId!);
      await writePlan(
        tx,
        contractId!,
        termsOf(await lockContract(tx, contractId!), parts),
        [],
        clerk.staffId,
      );
      const { create, submit } = contractMine.actions!;
      const told = { entity: 'contract', entityId: contractId!, caller: clerk };
      await tell({ ...told, action: 'create', label: create!.label, to: 'draft', at: at(-27) });
      await tell({
        ...told,
        action: 'submit',
        label: submit!.label,
        from: 'draft',
        to: 'in_review',
        at: at(-26),
      });
      await tell({
        ...told,
        caller: head,
        action: 'approve',
        label: contract.actions!.approve.label,
        from: 'in_review',
        to: 'active',
        at: at(-24),
      });
      await holdForContract(
        tx,
        clerk,
        { id: contractId!, projectId, clientId: found!.client, name: 'A-202 商铺租赁合同' },
        parts.positions,
      );
      await leaseForContract(tx, contractId!, null);
      await keepContractVersion(tx, contractId!, {
        reason: '首次审批通过',
        instanceId: null,
        staffId: head.staffId,
      });
      await signClient(tx, contractId!);
      const due = await run<{ id: number }>(
        tx,
        'SELECT id FROM contract_payment WHERE contract_id = $1 AND due_on <= $2 ORDER BY due_on, no',
        [contractId, addDays(today, 30)],
      );
      for (const line of due) await issueLine(tx, line.id, null);
    }

    /** One plan of the floors, the same for all. */
    async function planFile(): Promise<string> {
      const draft = await openFileStore(platform.config).create();
      const rooms = (
        [
          ['hall', '90.00'],
          ['living', '80.00'],
          ['kitchen', '60.00'],
          ['bedroom', '60.00'],
        ] as const
      ).map(([kind, area]) => ({ kind, area, name: '' }));
      await pipeline(Readable.from([planPicture(rooms)]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      const id = '0a992000-0000-4000-8000-000000002001';
      await run(
        tx,
        `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at) VALUES ($1, '商铺平面图.png', 'image/png', $2, $3, $4, 'picture', $5)`,
        [id, size, sha256, storageKey, at(-700)],
      );
      return id;
    }
  },
});
