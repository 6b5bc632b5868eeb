import { adEvents } from '../ad-metric/ad-events.server.ts';
import { activityEvents } from '../activity/activity-events.server.ts';
import { contentEvents } from '../content/content-events.server.ts';
import { decisionEvents } from '../decision/decision-events.server.ts';
import { interestGroupEvents } from '../interest-group/interest-group-events.server.ts';
import { pointsShopEvents } from '../points-shop/points-shop-events.server.ts';
import { reportEvents } from '../report-case/report-case-events.server.ts';
import { residentEvents } from '../residents/residents-events.server.ts';
import { resignCardEvents } from '../resign-card/resign-card-events.server.ts';
import { messageEvents } from '../message-send/message-events.server.ts';
import { taskEvents } from '../points-task/task-events.server.ts';
import { signInEvents } from '../sign-in/sign-in-events.server.ts';
import type { MemberEventKind } from './member-event.server.ts';

/** Every kind of event the door takes; each domain brings its own. */
export const MEMBER_EVENTS: readonly MemberEventKind[] = Object.freeze([
  ...activityEvents,
  ...adEvents,
  ...contentEvents,
  ...decisionEvents,
  ...interestGroupEvents,
  ...reportEvents,
  ...pointsShopEvents,
  ...resignCardEvents,
  ...messageEvents,
  ...signInEvents,
  ...residentEvents,
  ...taskEvents,
]);
