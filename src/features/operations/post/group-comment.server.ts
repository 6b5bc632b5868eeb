import { bindComments } from './post-binding.server.ts';
import { groupPostComment } from './post.contract.ts';

/** Comments under them. */
export const registration = bindComments(groupPostComment, 'group_post').registration;
