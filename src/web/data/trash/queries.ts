import { queryOptions } from '@tanstack/react-query';
import { get, post } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { TrashReview, TrashSummary } from '../types.ts';
import type { Reviewed } from './trash-actions.ts';

export const trashSummaryQuery = () =>
  queryOptions({
    queryKey: keys.trash,
    queryFn: () => get<TrashSummary>('/trash/summary'),
  });

/**
 * The items that an action would be about, with the token that stands for exactly these. It is read
 * once for each dialog, whose own id is `dialogId`, and again only when the server refuses the token.
 */
export const trashReviewQuery = (dialogId: string, reviewed: Reviewed) =>
  queryOptions({
    queryKey: [...keys.trashReview, dialogId],
    queryFn: () => post<TrashReview>('/trash/review', reviewed),
    staleTime: Infinity,
    gcTime: 0,
  });
