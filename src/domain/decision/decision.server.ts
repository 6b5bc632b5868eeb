import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { BALLOT_CHOICES, Tally } from './decision.rules.ts';

/** What a house says. */
export type BallotChoice = keyof typeof BALLOT_CHOICES;

const PURPOSE = 'ownersDecision';

/** Columns of what is counted of decision `t`, from its live ballots; each is a number. */
export const COUNTED = `LEFT JOIN LATERAL (
  SELECT count(*)::integer AS houses, coalesce(sum(h.area), 0)::float8 AS area,
         count(*) FILTER (WHERE b.choice = 'agree')::integer AS agree, coalesce(sum(h.area) FILTER (WHERE b.choice = 'agree'), 0)::float8 AS agree_area,
         count(*) FILTER (WHERE b.choice = 'disagree')::integer AS disagree, coalesce(sum(h.area) FILTER (WHERE b.choice = 'disagree'), 0)::float8 AS disagree_area,
         count(*) FILTER (WHERE b.choice = 'abstain')::integer AS abstain, coalesce(sum(h.area) FILTER (WHERE b.choice = 'abstain'), 0)::float8 AS abstain_area
    FROM ballot b JOIN decision_house h ON h.decision_id = b.decision_id AND h.house_id = b.house_id
   WHERE b.decision_id = t.id AND b.state = 'live') v ON true`;

/** Counts a decision from its live ballots. */
export async function tallyOf(db: Executor, id: number): Promise<Tally> {
  const row = (await runOne<Record<string, number>>(
    db,
    `SELECT t.houses AS all_houses, t.area::float8 AS all_area, v.* FROM decision t ${COUNTED} WHERE t.id = $1`,
    [id],
  ))!;
  return {
    all: { houses: row.all_houses!, area: row.all_area! },
    participating: { houses: row.houses!, area: row.area! },
    agree: { houses: row.agree!, area: row.agree_area! },
    disagree: { houses: row.disagree!, area: row.disagree_area! },
    abstain: { houses: row.abstain!, area: row.abstain_area! },
  };
}

/** Writes every house of the project with its area onto the roll of a new decision. */
export async function fixRoll(tx: Tx, decisionId: number, projectId: number): Promise<void> {
  await run(
    tx,
    `INSERT INTO decision_house (decision_id, house_id, building, name, area, owners)
     SELECT $1, h.id, b.name, b.name || ' ' || u.name || ' ' || h.number, (h.built_area * 100)::bigint,
            coalesce((SELECT string_agg(coalesce(nullif(m.name, ''), m.nickname), ',' ORDER BY hh.id) FROM household hh JOIN member m ON m.id = hh.member_id
                       WHERE hh.house_id = h.id AND hh.identity = 'owner' AND hh.status = 'normal'), '')
       FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id WHERE h.project_id = $2 AND h.merged_into_id IS NULL`,
    [decisionId, projectId],
  );
}

/** Locks a house of a roll while a ballot is cast; refuses what lies outside the period by the clock of the database. */
async function openHouse(
  tx: Tx,
  decisionId: number,
  houseId: number,
): Promise<{ readonly changeable: boolean; readonly abstain: boolean; readonly secret: boolean }> {
  // The decision is held against its end: the result counts every ballot that was taken.
  const decision = await runOne<{
    open: boolean;
    changeable: boolean;
    abstain: boolean;
    secret: boolean;
  }>(
    tx,
    `SELECT (state <> 'ended' AND result = 'deciding' AND clock_timestamp() >= starts_at AND clock_timestamp() < ends_at) AS open,
            changeable, abstain, secret FROM decision WHERE id = $1 AND NOT deleted FOR SHARE`,
    [decisionId],
  );
  if (!decision) throw notFound();
  if (!decision.open) throw ruleBroken(['不在投票时间内', 'Outside the voting period']);
  const house = await runOne(
    tx,
    'SELECT id FROM decision_house WHERE decision_id = $1 AND house_id = $2 FOR UPDATE',
    [decisionId, houseId],
  );
  if (!house) throw ruleBroken(['该房屋不在表决名册中', 'The house is not on the roll']);
  return decision;
}

const ABSTAIN_OFF = ['本次表决不可弃权', 'Abstaining is not allowed'] as const;
const FIRST_COUNTS = ['该房屋已投票，不可更改', 'The house has voted and cannot change it'] as const;

/** An owner votes for a house: the later ballot counts, or the first where changing is not allowed. */
export async function castBallot(
  tx: Tx,
  vote: { decisionId: number; houseId: number; memberId: number; choice: BallotChoice },
): Promise<{ readonly id: number; readonly secret: boolean }> {
  const decision = await openHouse(tx, vote.decisionId, vote.houseId);
  const owner = await runOne(
    tx,
    `SELECT id FROM household WHERE member_id = $1 AND house_id = $2 AND identity = 'owner' AND status = 'normal' FOR SHARE`,
    [vote.memberId, vote.houseId],
  );
  if (!owner) throw ruleBroken(['仅业主可投票', 'Owners only']);
  if (vote.choice === 'abstain' && !decision.abstain) throw ruleBroken(ABSTAIN_OFF);
  const before = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM ballot WHERE decision_id = $1 AND house_id = $2 AND state = 'live'`,
    [vote.decisionId, vote.houseId],
  );
  if (before && !decision.changeable) throw ruleBroken(FIRST_COUNTS);
  const id = (await runOne<{ id: number }>(
    tx,
    `SELECT nextval(pg_get_serial_sequence('ballot', 'id')) AS id`,
  ))!.id;
  if (before)
    await run(tx, `UPDATE ballot SET state = 'superseded', superseded_by = $2 WHERE id = $1`, [
      before.id,
      id,
    ]);
  await run(
    tx,
    `INSERT INTO ballot (id, decision_id, house_id, member_id, choice, way, state) VALUES ($1, $2, $3, $4, $5, 'app', 'live')`,
    [id, vote.decisionId, vote.houseId, vote.memberId, vote.choice],
  );
  return { id: Number(id), secret: decision.secret };
}

/** Enters a signed sheet; it counts when a second person has confirmed it. */
export async function enterPaper(
  tx: Tx,
  paper: {
    decisionId: number;
    houseId: number;
    choice: BallotChoice;
    evidence: readonly string[];
    proxyName: string;
    proxyDocument: string;
    staffId: number;
  },
): Promise<void> {
  const decision = await openHouse(tx, paper.decisionId, paper.houseId);
  if (paper.choice === 'abstain' && !decision.abstain) throw ruleBroken(ABSTAIN_OFF);
  const standing = await run<{ state: string }>(
    tx,
    `SELECT state FROM ballot WHERE decision_id = $1 AND house_id = $2 AND state IN ('live', 'waiting')`,
    [paper.decisionId, paper.houseId],
  );
  if (standing.some((one) => one.state === 'waiting'))
    throw ruleBroken(['该房屋有待确认的纸质票', 'A paper ballot of the house waits to be confirmed']);
  if (standing.length > 0 && !decision.changeable) throw ruleBroken(FIRST_COUNTS);
  await run(
    tx,
    `INSERT INTO ballot (decision_id, house_id, choice, way, state, evidence, proxy_name, proxy_document, created_by)
     VALUES ($1, $2, $3, 'paper', 'waiting', $4, $5, $6, $7)`,
    [
      paper.decisionId,
      paper.houseId,
      paper.choice,
      paper.evidence,
      paper.proxyName,
      paper.proxyDocument,
      paper.staffId,
    ],
  );
}

/** What becomes of a confirmed paper ballot: it counts unless the house voted later, or first where the first counts. */
export async function countPaper(
  tx: Tx,
  paper: { id: number; decisionId: number; houseId: number },
): Promise<{ readonly to: 'live' | 'superseded'; readonly by: number | null }> {
  const decision = await openHouse(tx, paper.decisionId, paper.houseId);
  const live = await runOne<{ id: number; later: boolean }>(
    tx,
    `SELECT b.id, b.cast_at > p.cast_at AS later FROM ballot b JOIN ballot p ON p.id = $3
      WHERE b.decision_id = $1 AND b.house_id = $2 AND b.state = 'live'`,
    [paper.decisionId, paper.houseId, paper.id],
  );
  if (!live) return { to: 'live', by: null };
  // Where the first counts, a sheet that lay here before the app ballot came still counts.
  if (decision.changeable === live.later) return { to: 'superseded', by: live.id };
  await run(tx, `UPDATE ballot SET state = 'superseded', superseded_by = $2 WHERE id = $1`, [
    live.id,
    paper.id,
  ]);
  return { to: 'live', by: null };
}

/** Writes one SMS to each phone of the owners on the roll; `notVoted`: only of houses without a ballot. */
export async function tellOwners(tx: Tx, id: number, what: string, notVoted: boolean): Promise<number> {
  const rows = await run(
    tx,
    `INSERT INTO sms_message (phone, purpose, body, params)
     SELECT DISTINCT m.phone, '${PURPOSE}', x.body, jsonb_build_object('title', d.title, 'text', x.body)
       FROM decision d JOIN decision_house r ON r.decision_id = d.id
       JOIN household hh ON hh.house_id = r.house_id AND hh.identity = 'owner' AND hh.status = 'normal'
       JOIN member m ON m.id = hh.member_id
       CROSS JOIN LATERAL (SELECT $2::text || '：' || d.title || '。请打开 App「业主决策」查看。' AS body) x
      WHERE d.id = $1 AND m.phone <> '' AND NOT ($3 AND EXISTS (
        SELECT FROM ballot b WHERE b.decision_id = d.id AND b.house_id = r.house_id AND b.state = 'live'))
     RETURNING id`,
    [id, what, notVoted],
  );
  return rows.length;
}
