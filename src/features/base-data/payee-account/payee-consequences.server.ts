import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { ASSIGNED_BUSINESS, PAYEE_CHANNELS, type PayeeChannel } from '../../../domain/payee/payee.rules.ts';
import type { ConsequenceSource } from '../../../domain/places/consequences.server.ts';

/** Assignments of nodes that projects leave or come under: they stop or begin to match for these projects. */
export const payeeConsequences: ConsequenceSource = {
  title: ['收款账户', 'Payee accounts'],
  find: async (db, plan) => {
    const left = plan.projects.flatMap((one) => one.before.filter((node) => !one.after.includes(node)));
    const joined = plan.projects.flatMap((one) => one.after.filter((node) => !one.before.includes(node)));
    const rows = await run<{
      node: number;
      place: string;
      account: string;
      business: keyof typeof ASSIGNED_BUSINESS;
      channel: PayeeChannel;
    }>(
      db,
      `SELECT o.id AS node, o.name AS place, a.name AS account, t.business_type AS business, t.channel
         FROM payee_assignment t JOIN organisation o ON o.id = t.organisation_id JOIN payee_account a ON a.id = t.account_id
        WHERE t.state = 'active' AND (t.effective_to IS NULL OR t.effective_to > now()) AND o.id = ANY($1::bigint[])
        ORDER BY cardinality(o.path), o.id, t.id`,
      [[...left, ...joined]],
    );
    const gone = new Set(left);
    return rows.map(({ node, place, account, business, channel }): Label => {
      const [what, how] = [ASSIGNED_BUSINESS[business].label, PAYEE_CHANNELS[channel].label];
      return gone.has(node)
        ? [
            `不再适用：「${place}」${what[0]} · ${how[0]} → ${account}`,
            `Stops to match: "${place}" ${what[1]} · ${how[1]} → ${account}`,
          ]
        : [
            `开始适用：「${place}」${what[0]} · ${how[0]} → ${account}`,
            `Begins to match: "${place}" ${what[1]} · ${how[1]} → ${account}`,
          ];
    });
  },
};
