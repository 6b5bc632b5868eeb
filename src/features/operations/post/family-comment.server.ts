import { bindComments } from './post-binding.server.ts';
import { familyComment } from './post.contract.ts';

/** Comments under them. */
export const registration = bindComments(familyComment, 'family').registration;
