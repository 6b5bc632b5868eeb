import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { runOne } from '../../kernel/server/database.ts';
import { notFound } from '../../kernel/server/http/errors.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { countAd } from './ad-metric.server.ts';

/** Where each kind of advert says in which projects it is shown. */
const PLACES = {
  family: 'family_advert_project p WHERE p.family_advert_id',
  mall: 'mall_ad_project p WHERE p.mall_ad_id',
  launch: 'launch_advert_project p WHERE p.launch_advert_id',
} as const;

/** Adverts that were shown to members and clicked. Devices without a member tell it at the paths of each kind. */
export const adEvents: readonly MemberEventKind[] = (['show', 'click'] as const).map((what) =>
  memberEvent({
    type: `ad.${what}`,
    title: what === 'show' ? ['广告曝光', 'Advert shown'] : ['广告点击', 'Advert clicked'],
    payload: z.strictObject({
      kind: z.enum(['family', 'mall', 'launch']).default('family'),
      advertId: idText,
    }),
    apply: async (tx, _platform, { eventId, memberId, projectId, payload }) => {
      const known = await runOne(
        tx,
        `SELECT 1 AS one FROM ${PLACES[payload.kind]} = $1 AND p.project_id = $2`,
        [payload.advertId, projectId],
      );
      if (!known) throw notFound(['广告不存在', 'There is no such advert']);
      return {
        result: { counted: await countAd(tx, { eventId, ...payload, projectId, memberId, what }) },
        effects: [],
      };
    },
  }),
);
