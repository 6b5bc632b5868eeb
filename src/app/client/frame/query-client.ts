import { createQueryClient } from '../../../kernel/client/query.ts';

/** The query cache of the window. */
export const queryClient = createQueryClient();
