import { commentsOf } from './product-comment.oracle.ts';

export const oracle = commentsOf('serviceComment', 'mm_reservationSer', 'service');
