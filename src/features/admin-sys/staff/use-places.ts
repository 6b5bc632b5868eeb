import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';

/** A project with the places it hangs under. */
export interface Place {
  readonly projectId: string;
  readonly projectName: string;
  readonly centreId: string;
  readonly centreName: string;
  readonly manageId: string;
  readonly manageName: string;
}

const PAGE = 200;

/** All projects of the caller's scope with centre city and management unit. */
export function usePlaces() {
  return useQuery({
    queryKey: ['places', 'projects'],
    staleTime: 10 * 60_000,
    queryFn: async ({ signal }) => {
      const places: Place[] = [];
      for (let page = 1; ; page++) {
        const { rows } = await call<{ rows: readonly Place[] }>(
          'POST',
          '/api/jinmao/web/baseCentreProject/queryCentreProject',
          { body: { page, limit: PAGE }, signal, quiet: true },
        );
        places.push(...rows);
        if (rows.length < PAGE) return places;
      }
    },
  });
}
