/**
 * SQL: the recipient `f` failed, and no later send to the failed ones took it over, but perhaps the send `but` that asks. One that
 * failed again there is free again.
 */
export const stillFailed = (f: string, but = 'NULL::bigint') =>
  `(${f}.state = 'failed' AND NOT EXISTS (SELECT FROM message_send g JOIN message_recipient z ON z.send_id = g.id
     WHERE g.resent_of_id = ${f}.send_id AND g.id IS DISTINCT FROM ${but} AND z.member_id = ${f}.member_id AND z.channel = ${f}.channel
       AND z.state IN ('pending', 'submitted', 'delivered', 'read')))`;
