import type { Label } from '../../../kernel/contract/label.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { changedPrice, newPriceProblem, priceChangeProblem } from './bulk-price.rules.ts';
import { checkClasses, liveContent, specsOf, writeClasses, writeSpecs } from './product-content.server.ts';
import { passByTrust, proposeChange, waitingReview } from './product-review.server.ts';
import { changeStock } from './product-stock.server.ts';
import { proposalOf, withProposal, type ReviewedContent } from './proposal.rules.ts';

/** Changes of several goods at once; each is a change of its own, so one refusal leaves the others. */
export const bulkHandlers = { bulkClass, bulkPrice, bulkStock } as const;

const WAITING: Label = ['修改待审', 'Change waiting for review'];

async function bulkClass(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input } = context;
  const classIds = input.classes as number[];
  if (row.status !== 'published') {
    await writeClasses(tx, id, row.business_id as number, classIds);
    return {};
  }
  await checkClasses(tx, row.tenant_id as number, row.business_id as number, classIds);
  return propose(context, (current) => ({ ...current, classIds }));
}

async function bulkPrice(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const mode = input.mode as 'percent' | 'amount';
  const hundredths = Math.round(Number(input.change) * 100);
  const problem = priceChangeProblem(mode, hundredths);
  if (problem) throw invalid({ change: problem });
  const repriced = (content: ReviewedContent): ReviewedContent => ({
    ...content,
    specs: content.specs.map((spec) => {
      const next = { ...spec, price: changedPrice(spec.price, mode, hundredths) };
      const refused = newPriceProblem(next);
      if (refused) throw ruleBroken(refused);
      return next;
    }),
  });
  const remark = `${hundredths > 0 ? '+' : ''}${String(input.change)}${mode === 'percent' ? '%' : ''}`;
  if (row.status === 'published') return { ...(await propose(context, repriced)), remark };
  await writeSpecs(tx, id, repriced(await liveContent(tx, id)).specs, caller.staffId);
  return { remark };
}

async function bulkStock({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const difference = input.difference as number;
  if (difference === 0) throw invalid({ difference: ['请填写不为0的数量', 'Enter a number other than 0'] });
  const specs = await specsOf(tx, id);
  if (specs.length === 0) throw ruleBroken(['商品没有规格', 'The product has no spec']);
  const changes = specs.map((spec) => ({ specId: spec.id, difference }));
  await changeStock(tx, changes, String(input.reason), caller.staffId, id);
  return { remark: String(input.reason) };
}

/** A change of what buyers see goes on from the waiting proposal and waits for review. */
async function propose(
  context: ActionContext,
  change: (current: ReviewedContent) => ReviewedContent,
): Promise<ActionResult> {
  const { tx, id, caller, platform } = context;
  const live = await liveContent(tx, id);
  const waiting = await waitingReview(tx, id);
  const wanted = change(withProposal(live, waiting?.payload));
  const difference = await proposeChange(tx, id, proposalOf(live, wanted), caller);
  if (difference.length === 0) return {};
  return (await passByTrust(tx, platform, context, id))
    ? { event: ['小幅调价，自动通过', 'Small price change, passed by itself'] }
    : { event: WAITING };
}
