import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { RecordableEvent } from '../../../domain/member-event/event-form.rules.ts';
import type { PointsRange } from '../../../domain/points-task/points-ranges.rules.ts';
import {
  pointsMember,
  type MemberListName,
  type MemberListRow,
  type MemberOverview,
} from './points-member.contract.ts';

const ROOT = rootOf(pointsMember);

/** Grade, sign-ins and tasks of a member. */
export const useMemberOverview = (id: string) =>
  useQuery({
    queryKey: [...keysOf.all(pointsMember.name), 'overview', id],
    queryFn: ({ signal }) => call<MemberOverview>('GET', `${ROOT}/${id}/overview`, { signal }),
  });

/** Records of a member that another screen keeps. */
export const useMemberList = (id: string, name: MemberListName) =>
  useQuery({
    queryKey: [...keysOf.all(pointsMember.name), 'list', id, name],
    queryFn: ({ signal }) => call<MemberListRow[]>('GET', `${ROOT}/${id}/list/${name}`, { signal }),
  });

/** Ranges searches offer. */
export const useRanges = () =>
  useQuery({
    queryKey: [pointsMember.name, 'ranges'],
    queryFn: ({ signal }) => call<readonly PointsRange[]>('GET', `${ROOT}/ranges`, { signal }),
  });

/** Events staff may record. */
export const useEventTypes = () =>
  useQuery({
    queryKey: [pointsMember.name, 'eventTypes'],
    queryFn: ({ signal }) => call<readonly RecordableEvent[]>('GET', `${ROOT}/eventTypes`, { signal }),
  });
