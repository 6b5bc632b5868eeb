import { serviceReview } from './product-review.contract.ts';
import { bindReviews } from './product-review.server.ts';

/** Reviews of services. */
export const registration = bindReviews(serviceReview, 'service').registration;
