import { boundFamily } from './family-post.server.ts';
import { boundGroup } from './group-post.server.ts';
import { bindPosts, operateEndpoints } from './post-binding.server.ts';
import { chamberPost } from './post.contract.ts';

const bound = bindPosts(chamberPost, 'chamber');

/** Topics of the council hall, with the operations over all posts. */
export const registration = {
  ...bound.registration,
  endpoints: [
    ...(bound.registration.endpoints ?? []),
    ...operateEndpoints({ family: boundFamily, chamber: bound, group_post: boundGroup }),
  ],
};
