import { useMyId } from '../../data/session/session.ts';
import { useAsset } from './use-asset.ts';
import { useStack } from './use-stack.ts';

export type ShownAsset = ReturnType<typeof useShownAsset>;

/** The photo that stands for the address, or the one that was chosen out of its stack. */
export function useShownAsset(id: string) {
  const top = useAsset(id);
  const me = useMyId();
  const { stack, member, show } = useStack(top);
  const asset = member ?? top;
  const isMine = asset !== undefined && asset.ownerId === me;
  return { asset, shownId: member?.id ?? id, isMine, stack, member, show };
}
