import { useQuery } from '@tanstack/react-query';
import { isGuest } from '../../base/api.ts';
import { frameUrl } from '../../data/moments/moment-data.ts';
import { momentsQuery } from '../../data/moments/queries.ts';
import type { Asset } from '../../data/types.ts';
import { findNearestFrame, toEntries } from '../moments/entries.ts';
import { Player } from '../video/player.tsx';
import type { Tool } from './tool.ts';
import { toButton } from './toolbar.tsx';

type Props = { asset: Asset | undefined; stage: HTMLElement | null; tools: readonly Tool[] };

/** The player with the moments of the video on its line. */
export function ViewerPlayer({ asset, stage, tools }: Props) {
  const { data } = useQuery({
    ...momentsQuery(asset?.id ?? ''),
    enabled: asset?.type === 'VIDEO' && !isGuest(),
  });
  const isKnown = data !== undefined && data.assetId === asset?.id;
  const marks = isKnown
    ? toEntries(data).map(({ key, timeMs, manual }) => ({
        key,
        time: timeMs / 1000,
        isStrong: manual !== undefined,
      }))
    : [];
  const renderFrame = (time: number) => {
    const frame = isKnown ? findNearestFrame(data, time * 1000) : undefined;
    return frame && <img src={frameUrl(frame)} alt="" />;
  };
  return (
    <Player stage={stage} marks={marks} renderFrame={renderFrame}>
      {tools.map(toButton)}
    </Player>
  );
}
