import { createQueryClient, uncached } from '../../../kernel/client/query.ts';

/** The query cache of the window. */
export const queryClient = createQueryClient();

/** The cache as views marked noCache see it. */
export const uncachedClient = uncached(queryClient);
