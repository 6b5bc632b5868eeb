import { bindPosts } from './post-binding.server.ts';
import { familyPost } from './post.contract.ts';

/** Posts of the family circle. */
export const boundFamily = bindPosts(familyPost, 'family');
export const registration = boundFamily.registration;
