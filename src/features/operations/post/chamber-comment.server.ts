import { bindComments } from './post-binding.server.ts';
import { chamberComment } from './post.contract.ts';

/** Comments under them. */
export const registration = bindComments(chamberComment, 'chamber').registration;
