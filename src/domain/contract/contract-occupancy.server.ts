import type { Label } from '../../kernel/contract/label.ts';
import { addDays } from '../../kernel/contract/time.rules.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../kernel/server/people/caller.ts';
import { requireDaysOfSpace } from '../position/days-of-space.server.ts';
import { releaseExpired } from '../position/occupancy.server.ts';
import { maySeeContract } from './contract-sight.server.ts';

/** A position of a contract for some days, both included. */
export interface PlaceRange {
  readonly place_id: number;
  readonly from_on: string;
  readonly to_on: string;
}

interface Taken {
  readonly id: number;
  readonly kind: 'hold' | 'lease' | 'repair';
  readonly from: string;
  readonly to: string;
  readonly contract_id: number | null;
  readonly contract_code: string | null;
  readonly holder_id: number | null;
}

/**
 * Holds positions for a contract, or for a change of it, in the transaction that hands it in. Own holds of the caller are taken
 * over; days the contract has already stay as they are. Refuses (30101) with position and days where somebody else has them, and
 * with the contract where the caller sees it. Positions are locked in order, so that the second of two is told why; the exclusion
 * constraint of the table holds it for everybody. Source: group 17, pr_contractCreart.
 */
export async function holdForContract(
  tx: Tx,
  caller: Caller,
  contract: {
    readonly id: number;
    readonly projectId: number;
    readonly clientId: number | null;
    readonly name: string;
  },
  ranges: readonly PlaceRange[],
  changeId: number | null = null,
): Promise<void> {
  const places = await run<{ id: number; code: string; project_id: number; enabled: boolean }>(
    tx,
    'SELECT id, code, project_id, enabled FROM position WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE',
    [[...new Set(ranges.map((one) => one.place_id))]],
  );
  for (const place of places) {
    if (place.project_id !== contract.projectId || !place.enabled)
      throw ruleBroken([
        `点位 ${place.code} 已停用或不属于该项目`,
        `Position ${place.code} is disabled or lies in another project`,
      ]);
    await releaseExpired(tx, place.id);
    for (const range of ranges.filter((one) => one.place_id === place.id)) {
      await requireDaysOfSpace(tx, place, range.from_on, range.to_on);
      const taken = await takenIn(tx, range);
      const own = taken.filter((one) => one.contract_id === contract.id);
      for (const gap of gapsOf(range, own)) {
        const others = taken.filter(
          (one) => one.contract_id !== contract.id && one.from <= gap.to_on && one.to >= gap.from_on,
        );
        const foreign = others.find((one) => !isOwnHold(one, caller));
        if (foreign) throw ruleBroken(await takenText(tx, caller, place.code, foreign));
        for (const hold of others)
          await run(
            tx,
            `UPDATE position_occupancy SET released_at = now(), release_reason = '转入合同', version = version + 1, updated_at = now() WHERE id = $1`,
            [hold.id],
          );
        await run(
          tx,
          `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, client_id, reason, contract_id, contract_change_id, created_by, updated_by)
           VALUES ($1, 'hold', $2, $3, $4, $5, left($6, 200), $7, $8, $4, $4)`,
          [
            place.id,
            gap.from_on,
            gap.to_on,
            staffIdOf(caller),
            contract.clientId,
            contract.name,
            contract.id,
            changeId,
          ],
        );
      }
    }
  }
}

/** A hold of the caller that no contract made yet. */
const isOwnHold = (one: Taken, caller: Caller) =>
  one.kind === 'hold' && one.contract_id === null && one.holder_id === caller.staffId;

const takenIn = (tx: Tx, range: PlaceRange) =>
  run<Taken>(
    tx,
    `SELECT o.id, o.kind, o.from_on::text AS from, o.to_on::text AS to, o.contract_id, c.code AS contract_code, o.holder_id
       FROM position_occupancy o LEFT JOIN contract c ON c.id = o.contract_id
      WHERE o.position_id = $1 AND o.released_at IS NULL AND o.period && daterange($2::date, $3::date, '[]') ORDER BY o.from_on`,
    [range.place_id, range.from_on, range.to_on],
  );

/** Days of a range none of some rows has. */
export function gapsOf(
  range: PlaceRange,
  own: readonly { readonly from: string; readonly to: string }[],
): readonly PlaceRange[] {
  const gaps: PlaceRange[] = [];
  let from = range.from_on;
  for (const one of own.toSorted((a, b) => a.from.localeCompare(b.from))) {
    if (one.to < from || one.from > range.to_on) continue;
    if (one.from > from) gaps.push({ ...range, from_on: from, to_on: addDays(one.from, -1) });
    from = addDays(one.to, 1);
  }
  if (from <= range.to_on) gaps.push({ ...range, from_on: from });
  return gaps;
}

/** Why a position cannot be had: days always, the contract only to who may see it. */
export async function takenText(
  tx: Tx,
  caller: Caller,
  code: string,
  taken: Pick<Taken, 'from' | 'to' | 'contract_id' | 'contract_code'>,
): Promise<Label> {
  const named = taken.contract_id !== null && (await maySeeContract(tx, caller, taken.contract_id));
  return named
    ? [
        `点位 ${code} 在 ${taken.from} 至 ${taken.to} 已被合同 ${taken.contract_code} 占用`,
        `Position ${code} is taken from ${taken.from} to ${taken.to} by contract ${taken.contract_code}`,
      ]
    : [
        `点位 ${code} 在 ${taken.from} 至 ${taken.to} 已被占用`,
        `Position ${code} is taken from ${taken.from} to ${taken.to}`,
      ];
}

/** Holds of a contract, or of one change of it, become leases: it was approved. */
export async function leaseForContract(tx: Tx, contractId: number, changeId: number | null): Promise<void> {
  await run(
    tx,
    `UPDATE position_occupancy SET kind = 'lease', version = version + 1, updated_at = now()
      WHERE contract_id = $1 AND contract_change_id IS NOT DISTINCT FROM $2 AND kind = 'hold' AND released_at IS NULL`,
    [contractId, changeId],
  );
}

/** Holds of a contract, or of one change of it, are given back: it was refused or withdrawn. */
export async function releaseForContract(
  tx: Tx,
  contractId: number,
  changeId: number | null,
  reason: string,
): Promise<void> {
  await run(
    tx,
    `UPDATE position_occupancy SET released_at = now(), release_reason = $3, version = version + 1, updated_at = now()
      WHERE contract_id = $1 AND contract_change_id IS NOT DISTINCT FROM $2 AND kind = 'hold' AND released_at IS NULL`,
    [contractId, changeId, reason],
  );
}

/** Cuts the leases of a contract to the days its positions are let from now on. */
export async function cutLeases(tx: Tx, contractId: number, after: readonly PlaceRange[]): Promise<void> {
  const leases = await run<{ id: number; position_id: number; from: string; to: string }>(
    tx,
    `SELECT id, position_id, from_on::text AS from, to_on::text AS to FROM position_occupancy
      WHERE contract_id = $1 AND kind = 'lease' AND released_at IS NULL ORDER BY id FOR UPDATE`,
    [contractId],
  );
  for (const lease of leases) {
    const kept = after.filter(
      (one) => one.place_id === lease.position_id && one.from_on <= lease.to && one.to_on >= lease.from,
    );
    const last = kept
      .map((one) => one.to_on)
      .toSorted()
      .at(-1);
    if (last === undefined)
      await run(
        tx,
        `UPDATE position_occupancy SET released_at = now(), release_reason = '合同变更', version = version + 1, updated_at = now() WHERE id = $1`,
        [lease.id],
      );
    else if (last < lease.to)
      await run(
        tx,
        'UPDATE position_occupancy SET to_on = $2, version = version + 1, updated_at = now() WHERE id = $1',
        [lease.id, last],
      );
  }
}
