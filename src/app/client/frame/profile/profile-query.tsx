import { useQuery, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';
import { useText } from '../../../../kernel/client/language.ts';
import type { Label } from '../../../../kernel/contract/label.ts';

/** Loads a part of the profile and draws it; says so while it loads, when it fails and when there is nothing. */
export function ProfileQuery<T>(props: {
  readonly queryKey: QueryKey;
  readonly path: string;
  readonly isEmpty?: (data: T) => boolean;
  /** Why there is nothing and what to do for it. */
  readonly empty?: Label;
  /** Shown instead of the retry when the server does not offer this. */
  readonly notOffered?: ReactNode;
  readonly children: (data: T) => ReactNode;
}) {
  const text = useText();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: props.queryKey,
    queryFn: () => call<T>('GET', props.path, { quiet: true }),
    staleTime: 0,
  });
  if (isPending)
    return (
      <div role="status" aria-busy="true" className="profile-wait">
        <span className="visually-hidden">{text(['正在加载', 'Loading'])}</span>
        <i className="bone" />
        <i className="bone w60" />
        <i className="bone" />
      </div>
    );
  const isNotOffered = error instanceof ApiError && [404, 422].includes(error.http);
  if (isNotOffered && props.notOffered) return <>{props.notOffered}</>;
  if (isError)
    return (
      <p>
        {text(['没有加载出来。', 'This could not be loaded.'])}{' '}
        <button type="button" className="link-button" onClick={() => void refetch()}>
          {text(['重试', 'Retry'])}
        </button>
      </p>
    );
  if (props.isEmpty?.(data))
    return <p className="quiet">{text(props.empty ?? ['暂无记录', 'Nothing here yet'])}</p>;
  return <>{props.children(data)}</>;
}

/** Rows of a list answer, whether it came as an array or as a page. */
export function rowsOf<R>(data: readonly R[] | { readonly rows: readonly R[] }): readonly R[] {
  return 'rows' in data ? data.rows : data;
}
