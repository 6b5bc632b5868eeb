import { reviewsOf } from './product-review.oracle.ts';

export const oracle = reviewsOf('serviceReview', 'mm_reservationApprove', 'service');
