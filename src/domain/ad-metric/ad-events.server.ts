import { z } from 'zod';
import { choice, ref } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { runOne } from '../../kernel/server/database.ts';
import { notFound } from '../../kernel/server/http/errors.ts';
import type { EventForm, EventInput } from '../member-event/event-form.rules.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { countAd } from './ad-metric.server.ts';

/** Where each kind of advert says in which projects it is shown. */
const PLACES = {
  family: 'family_advert_project p WHERE p.family_advert_id',
  mall: 'mall_ad_project p WHERE p.mall_ad_id',
  launch: 'launch_advert_project p WHERE p.launch_advert_id',
} as const;

const form: EventForm = {
  kind: {
    field: choice(
      ['广告位', 'Place'],
      {
        family: { label: ['家人圈', 'Family circle'] },
        mall: { label: ['商城', 'Mall'] },
        launch: { label: ['启动页', 'Launch page'] },
      },
      { required: true, initial: 'family' },
    ),
  },
  ...Object.fromEntries<EventInput>(
    Object.entries({ family: 'eventFamilyAdvert', mall: 'eventMallAdvert', launch: 'eventLaunchAdvert' }).map(
      ([kind, target]) => [
        kind,
        {
          field: ref(target, ['广告', 'Advert'], { required: true }),
          at: 'advertId',
          when: ['kind', kind],
        },
      ],
    ),
  ),
};

/** Adverts that were shown to members and clicked. Devices without a member tell it at the paths of each kind. */
export const adEvents: readonly MemberEventKind[] = (['show', 'click'] as const).map((what) =>
  memberEvent({
    type: `ad.${what}`,
    title: what === 'show' ? ['广告曝光', 'Advert shown'] : ['广告点击', 'Advert clicked'],
    payload: z.strictObject({
      kind: z.enum(['family', 'mall', 'launch']).default('family'),
      advertId: idText,
    }),
    form,
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
