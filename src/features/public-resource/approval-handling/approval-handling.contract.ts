import { definePage } from '../../../kernel/contract/page.ts';

/** One approval for everybody it concerns: what it is about, where it stands, what was said, and what may be done now. */
export const approvalHandling = definePage({
  name: 'approvalHandling',
  menu: 'pr_approvalProcess',
  title: ['审批办理', 'Handle approval'],
});

/** Most quick phrases a staff keeps. Source: group 17, pr_approvalProcess. */
export const MOST_PHRASES = 10;
