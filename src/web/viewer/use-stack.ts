import { useEffect, useState } from 'react';
import { fetchStack } from '../stacks/stack-data.ts';
import type { Asset, Stack } from '../types.ts';

/** The stack that a photo stands for, and the one of it that is looked at instead. */
export function useStack(asset: Asset | undefined): {
  stack: Stack | undefined;
  member: Asset | undefined;
  show: (member: Asset | undefined) => void;
  reload: () => Promise<void>;
} {
  const [found, setFound] = useState<Stack>();
  const [member, setMember] = useState<Asset>();
  const stackId = asset?.stack?.id;
  useEffect(() => setMember(undefined), [asset?.id]);
  const reload = async () => {
    if (stackId) setFound(await fetchStack(stackId).catch(() => undefined));
  };
  useEffect(() => {
    setFound(undefined);
    void reload();
    // A stack that changed comes with another version of its photo.
  }, [stackId, asset?.updatedAt]);
  const stack = found?.id === stackId ? found : undefined;
  const isIn = member && stack?.assets.some(({ id }) => id === member.id);
  return { stack, member: isIn ? member : undefined, show: setMember, reload };
}
