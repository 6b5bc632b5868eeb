import { detail } from './achievement.server.ts';

/** The rows behind a result. */
export const registration = detail;
