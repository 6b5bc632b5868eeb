import { serviceReview } from './product-review.contract.ts';
import { reviewScreen } from './product-review.screen.tsx';

/** Module of mm_reservationApprove. */
export const screen = reviewScreen(serviceReview);
