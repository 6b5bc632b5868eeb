import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { checkPictures, picturesOf } from '../picture-columns.server.ts';
import { decorationOffer } from './decoration-offer.contract.ts';

const ROOT = '/jinmao/web/decorationOffer';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
/** First key of the advisory locks: who publishes in a project waits for the others of it. */
const PUBLISH_LOCK = 8_602;
const TAKEN: Label = ['该项目已有发布的监理服务', 'The project has a published offer already'];
const seesCost = (caller: Caller) => holds(caller, `${decorationOffer.menu}:btn_cost`);

const bound: BoundResource = bindResource(decorationOffer, {
  table: 'decoration_offer',
  joins: { project: 'project' },
  columns: { images: picturesOf('t.image_ids'), introduction: 'NULL::text' },
  writes: { images: 'image_ids', introduction: 'introduction_html' },
  unique: { decoration_offer_published: TAKEN },
  scope: residentScope('t.project_id', 't.created_by'),
  completes: ['cost'],
  before: [check],
  checks: { publish: refuseSecond },
  sets: { publish: { published_at: NOW } },
  present: async (rows, _db, caller) => {
    if (!seesCost(caller)) for (const row of rows) row.cost = null;
  },
  readChange: (change, caller) => (change.field !== 'cost' || seesCost(caller) ? change : undefined),
  // Up to 20,000 characters a row: only the detail reads them.
  detail: async (db, id) => ({
    introduction: (await runOne<{ introduction_html: string }>(
      db,
      'SELECT introduction_html FROM decoration_offer WHERE id = $1',
      [id],
    ))!.introduction_html,
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/offer`,
      title: ['App 装修监理服务', 'The supervision offer of a project'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ projectId: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ platform, query }) => {
        const row = await runOne<{
          id: number;
          price: number;
          image_ids: string[];
          introduction_html: string;
        }>(
          platform.database.db,
          `SELECT id, price, image_ids, introduction_html FROM decoration_offer WHERE project_id = $1 AND state = 'published'`,
          [Number(query.projectId)],
        );
        if (!row) throw notFound();
        return {
          id: String(row.id),
          price: yuanFromFen(row.price),
          images: row.image_ids.map((id) => `/api/file/${id}`),
          introduction: row.introduction_html,
        };
      },
    }),
  ],
});

/** Supervision offers. */
export const registration = bound.registration;

/** Pictures fit; the cost price is asked for, and changed by those only who see it. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  if (action === 'update' && !seesCost(caller)) {
    if (input.cost !== undefined && input.cost !== null) throw forbidden();
    delete columns.cost;
  } else if (input.cost === null || (action === 'create' && input.cost === undefined))
    throw invalid({ cost: ['此项必填', 'This field is required'] });
  if (Array.isArray(input.images))
    await checkPictures(context, 'images', input.images as string[], (row.image_ids ?? []) as string[]);
}

async function refuseSecond({ tx, row, id }: ActionContext): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock($1, $2)', [PUBLISH_LOCK, Number(row.project_id)]);
  const other = await runOne(
    tx,
    `SELECT FROM decoration_offer WHERE project_id = $1 AND state = 'published' AND id <> $2`,
    [row.project_id, id],
  );
  if (other) throw ruleBroken(TAKEN);
}
