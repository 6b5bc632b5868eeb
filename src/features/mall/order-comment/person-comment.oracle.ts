import { commentsOf } from './product-comment.oracle.ts';

export const oracle = commentsOf('personComment', 'cs_busServicePerson', 'service');
