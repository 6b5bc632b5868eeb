/** The seat of an order `t`, its team if it has one, and its activity. */
const OF_SEAT = `FROM group_buy_member s JOIN group_buy_item i ON i.id = s.item_id JOIN group_buy g ON g.id = i.group_buy_id
  LEFT JOIN group_buy_team x ON x.id = s.team_id WHERE s.order_id = t.id`;
/** Activities that count copies are one team of everybody. */
const TEAM_STATE = `coalesce(x.state, CASE WHEN g.formed_at IS NOT NULL THEN 'formed' WHEN g.state = 'ended' THEN 'failed' ELSE 'forming' END)`;

/** How the team of an order `t` of sales_order does; null without a seat. */
export const TEAM_COLUMNS = {
  teamCode: `(SELECT coalesce(x.code, g.code) ${OF_SEAT})`,
  teamState: `(SELECT ${TEAM_STATE} ${OF_SEAT})`,
  formedAt: `(SELECT CASE WHEN x.id IS NULL THEN g.formed_at WHEN x.state = 'formed' THEN x.ended_at END ${OF_SEAT})`,
  missing: `(SELECT CASE WHEN ${TEAM_STATE} <> 'forming' THEN 0 WHEN x.id IS NULL THEN greatest(g.group_size - g.paid_qty, 0)
      ELSE x.size - x.joined - x.held_seats END ${OF_SEAT})`,
  teamDeadline: `(SELECT coalesce(x.deadline, g.ends_at) ${OF_SEAT})`,
};
