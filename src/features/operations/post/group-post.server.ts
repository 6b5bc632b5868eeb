import { bindPosts } from './post-binding.server.ts';
import { groupPost } from './post.contract.ts';

/** Posts of interest groups. */
export const boundGroup = bindPosts(groupPost, 'group_post');
export const registration = boundGroup.registration;
