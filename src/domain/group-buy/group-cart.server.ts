import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { REFUSED } from './group-buy.rules.ts';

/** A seat somebody wants: in a team, or `teamId` null for a team of one's own or an activity without teams. */
export interface SeatWanted {
  readonly itemId: number;
  readonly teamId: number | null;
  readonly openNewIfFull: boolean;
}

/** What a group order costs and until when it can be paid at the latest. Amounts in fen. */
export interface GroupOffer {
  readonly itemId: number;
  readonly activityName: string;
  readonly unitPrice: number;
  /** True when the order opens a team. */
  readonly opens: boolean;
  readonly allowCoupon: boolean;
  readonly allowPoints: boolean;
  readonly allowCoin: boolean;
  /** End of the team or of the activity. */
  readonly until: Date;
}

interface OfferRow {
  readonly spec_id: number;
  readonly price: number;
  readonly leader_price: number | null;
  readonly remaining: number;
  readonly held: number;
  readonly limit: number;
  readonly mode: 'team' | 'total';
  readonly state: string;
  readonly name: string;
  readonly allow_coupon: boolean;
  readonly allow_points: boolean;
  readonly allow_coin: boolean;
  readonly new_only: boolean;
  readonly ends_at: Date;
  readonly begun: boolean;
  readonly over: boolean;
  readonly in_project: boolean;
}

/**
 * Looks what a group order of one line may cost now: for the quote and, once more, for the order. It only answers early;
 * the seat, the limit and the copies are decided by the statements that take them. Throws 422 for a cart of several lines,
 * 404 for an item that is not sold or a team of another item, and 30101 with the activity's refusal.
 * Source: group 16, Stock reservation 2 and mk_makeGroup.
 */
export async function groupOffer(
  db: Executor,
  wanted: SeatWanted,
  buyer: {
    readonly memberId: number;
    readonly projectId: number;
    readonly lines: readonly { readonly specId: number; readonly qty: number }[];
  },
): Promise<GroupOffer> {
  const item = await runOne<OfferRow>(
    db,
    `SELECT i.spec_id, i.price, i.leader_price, i.remaining, i.held, i.per_member_limit AS limit, i.state, g.mode, g.name,
            g.allow_coupon, g.allow_points, g.allow_coin, g.new_member_only_join AS new_only, g.ends_at,
            g.starts_at <= clock_timestamp() AS begun, (g.ends_at <= clock_timestamp() OR g.state = 'ended') AS over,
            EXISTS (SELECT FROM group_buy_project p WHERE p.group_buy_id = g.id AND p.project_id = $2) AS in_project
       FROM group_buy_item i JOIN group_buy g ON g.id = i.group_buy_id WHERE i.id = $1 AND i.state IN ('published', 'ended')`,
    [wanted.itemId, buyer.projectId],
  );
  if (!item) throw notFound(['团购商品不存在', 'The group-buy item does not exist']);
  const specs = new Set(buyer.lines.map((line) => line.specId));
  if (specs.size !== 1 || !specs.has(item.spec_id)) throw invalid({ lines: REFUSED.oneLine });
  const qty = buyer.lines.reduce((sum, line) => sum + line.qty, 0);
  if (item.over) throw ruleBroken(REFUSED.ended, { reason: 'ENDED' });
  if (!item.begun) throw ruleBroken(REFUSED.notStarted, { reason: 'NOT_STARTED' });
  if (!item.in_project) throw ruleBroken(['不在该小区销售', 'Not sold in this project']);
  if (qty > item.limit) throw ruleBroken(REFUSED.limit, { reason: 'OVER_MEMBER_LIMIT' });
  if (item.remaining < qty) throw soldOut(item.held);
  const team = await joinable(db, wanted, item, buyer.memberId);
  return {
    itemId: wanted.itemId,
    activityName: item.name,
    unitPrice: team || item.mode === 'total' ? item.price : (item.leader_price ?? item.price),
    opens: !team && item.mode === 'team',
    allowCoupon: item.allow_coupon,
    allowPoints: item.allow_points,
    allowCoin: item.allow_coin,
    until: team && team.deadline < item.ends_at ? team.deadline : item.ends_at,
  };
}

/** The refusal when copies are short; unpaid orders may give some back. */
export function soldOut(held: number) {
  return ruleBroken(held > 0 ? REFUSED.unpaidLeft : REFUSED.soldOut, { reason: 'SOLD_OUT' });
}

async function joinable(
  db: Executor,
  wanted: SeatWanted,
  item: OfferRow,
  memberId: number,
): Promise<{ deadline: Date } | undefined> {
  if (item.mode === 'total' || wanted.teamId === null) return undefined;
  const team = await runOne<{ deadline: Date; open: boolean; full: boolean; inside: boolean }>(
    db,
    `SELECT t.deadline, t.state = 'forming' AND t.deadline > clock_timestamp() AS open, t.held_seats + t.joined >= t.size AS full,
            EXISTS (SELECT FROM group_buy_member m WHERE m.team_id = t.id AND m.member_id = $3 AND m.state IN ('held', 'joined')) AS inside
       FROM group_buy_team t WHERE t.id = $1 AND t.item_id = $2`,
    [wanted.teamId, wanted.itemId, memberId],
  );
  if (!team) throw notFound(['该团不存在', 'The team does not exist']);
  if (team.inside) throw ruleBroken(REFUSED.already, { reason: 'ALREADY_IN_TEAM' });
  if (item.new_only && !(await isNewMember(db, memberId)))
    throw ruleBroken(REFUSED.newOnly, { reason: 'NOT_ELIGIBLE' });
  if (team.open && !team.full) return team;
  if (!wanted.openNewIfFull) throw teamClosed(team.open);
  return undefined;
}

/** The refusal of a team nobody can join any more. */
export function teamClosed(isFull: boolean) {
  return isFull
    ? ruleBroken(REFUSED.full, { reason: 'TEAM_FULL' })
    : ruleBroken(REFUSED.over, { reason: 'TEAM_OVER' });
}

/** New are members who never paid for an order. */
async function isNewMember(db: Executor, memberId: number): Promise<boolean> {
  const paid = await run(db, 'SELECT FROM sales_order WHERE member_id = $1 AND paid_at IS NOT NULL LIMIT 1', [
    memberId,
  ]);
  return paid.length === 0;
}
