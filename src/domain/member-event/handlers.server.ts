import { contentEvents } from '../content/content-events.server.ts';
import { signInEvents } from '../sign-in/sign-in-events.server.ts';
import type { MemberEventKind } from './member-event.server.ts';

/** Every kind of event the door takes; each domain brings its own. */
export const MEMBER_EVENTS: readonly MemberEventKind[] = [...contentEvents, ...signInEvents];
