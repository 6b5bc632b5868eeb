import { marks } from './business-report.server.ts';

/** The rows behind the figures of business people. */
export const registration = marks;
