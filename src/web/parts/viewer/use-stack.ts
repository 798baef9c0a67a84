import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Asset, Stack } from '../../data/types.ts';
import { assetQuery, stackQuery } from '../../data/viewer/queries.ts';

type ShownMember = { topId: string; memberId: string };

/** Returns the stack that a photo stands for, and the photo of it that is shown instead, if any. */
export function useStack(top: Asset | undefined): {
  stack: Stack | undefined;
  member: Asset | undefined;
  show: (member: Asset | undefined) => void;
} {
  const { data: stack } = useQuery(stackQuery(top));
  const [shown, setShown] = useState<ShownMember>();
  const memberId = shown && shown.topId === top?.id ? shown.memberId : undefined;
  const inStack = stack?.assets.find(({ id }) => id === memberId);
  const { data: details } = useQuery({
    ...assetQuery(memberId ?? ''),
    enabled: inStack !== undefined,
  });
  return {
    stack: top?.stack ? stack : undefined,
    member: inStack && (details ?? inStack),
    show: (member) => setShown(member && top && { topId: top.id, memberId: member.id }),
  };
}
