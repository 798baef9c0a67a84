import { isGuest } from '../../base/api.ts';
import { MomentsStrip } from '../moments/moments-strip.tsx';
import { StackStrip } from '../stacks/stack-strip.tsx';
import { ActivityPill } from './activity-pill.tsx';
import type { ShownAsset } from './use-shown-asset.ts';

type Props = {
  id: string;
  shown: ShownAsset;
  stage: HTMLElement | null;
  albumId: string | undefined;
  onCover: () => void;
  onStackChange: () => void;
};

/** Over the photo: the moments of a video, the others of a stack, likes and comments. */
export function PhotoStrips({ id, shown, stage, albumId, onCover, onStackChange }: Props) {
  const { asset, shownId, isMine, stack, show } = shown;
  return (
    <>
      {asset?.type === 'VIDEO' && !isGuest() && (
        <MomentsStrip
          key={asset.id}
          asset={asset}
          isMine={isMine}
          stage={stage}
          onCover={onCover}
        />
      )}
      {stack && (
        <StackStrip
          stack={stack}
          shownId={shownId}
          isMine={isMine}
          onShow={(next) => show(next.id === id ? undefined : next)}
          onChange={(isGone) => {
            if (isGone) show(undefined);
            onStackChange();
          }}
        />
      )}
      {albumId && !isGuest() && <ActivityPill albumId={albumId} assetId={shownId} />}
    </>
  );
}
