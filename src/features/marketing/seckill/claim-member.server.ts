import { notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { membersByPhone } from '../../mall/goods-order/order-lookup.server.ts';

/** The member with exactly this phone, as the desk that orders for members finds one. Throws 404 where there is none. */
export async function findMemberByPhone(platform: Platform, caller: Caller, phone: string): Promise<number> {
  const [member] = await membersByPhone(platform, caller, phone);
  if (!member) throw notFound(['没有该手机号的会员', 'No member has this phone number']);
  return member.id;
}
