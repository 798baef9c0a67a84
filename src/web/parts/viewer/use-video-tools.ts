import { useQuery } from '@tanstack/react-query';
import { Captions, Check, FastForward, Gauge, Rewind, Settings2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isGuest, toUrl } from '../../base/api.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { momentsQuery } from '../../data/moments/queries.ts';
import { useShownVideo } from '../video/shown-media.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';
import { useStore } from '../../base/store.ts';
import type { Asset } from '../../data/types.ts';
import type { Tool } from './tool.ts';
import { streamQuality, type StreamQuality } from './video-stream.ts';

const SPEEDS: readonly number[] = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];
const CAPTIONS_KEY = 'safelight.captions';

/** The speed, the quality and the captions of the video that is shown; nothing for a photo. */
export function useVideoTools(asset: Asset | undefined, stage: HTMLElement | null): Tool[] {
  const video = useShownVideo(stage);
  const isVideo = asset?.type === 'VIDEO';
  const [speed, setSpeed] = useState(1);
  const { hasCaptions, isOn, toggle } = useCaptions(isVideo ? asset : undefined, video);
  const quality = useStore(streamQuality);
  useEffect(() => {
    if (video) setPlaybackSpeed(video, speed);
  }, [video, speed]);
  if (!isVideo) return [];

  const change = (by: 1 | -1) => setSpeed((old) => SPEEDS[SPEEDS.indexOf(old) + by] ?? old);
  const speedTool: Tool = {
    icon: Gauge,
    label: t('Speed'),
    place: 'bar',
    run: () => change(1),
    entries: [
      { icon: FastForward, label: t('Faster'), keys: '>', run: () => change(1) },
      { icon: Rewind, label: t('Slower'), keys: '<', run: () => change(-1) },
      ...SPEEDS.map((value) => ({
        icon: value === speed ? Check : Gauge,
        label: `${formatNumber(value)}×`,
        run: () => setSpeed(value),
      })),
    ],
  };
  const tools: Tool[] = [speedTool];
  if (quality?.assetId === asset?.id && quality) tools.push(createQualityTool(quality));
  if (hasCaptions) {
    tools.push({
      icon: Captions,
      label: isOn ? t('Hide captions') : t('Show captions'),
      isOn,
      keys: 'c',
      place: 'bar',
      run: toggle,
    });
  }
  return tools;
}

function createQualityTool({ names, chosen, played, choose }: StreamQuality): Tool {
  const toEntry = (name: string | undefined, label: string) => ({
    icon: name === chosen ? Check : Settings2,
    label,
    run: () => choose(name),
  });
  const automatic = played ? t('Automatic ({quality})', { quality: played }) : t('Automatic');
  return {
    icon: Settings2,
    label: t('Quality'),
    place: 'bar',
    run: () => choose(undefined),
    entries: [
      toEntry(undefined, chosen === undefined ? automatic : t('Automatic')),
      ...names.map((name) => toEntry(name, name)),
    ],
  };
}

function setPlaybackSpeed(video: HTMLVideoElement, speed: number): void {
  // A video that is loaded anew begins at its default speed.
  video.defaultPlaybackRate = speed;
  video.playbackRate = speed;
}

function setCaptionMode({ textTracks }: HTMLVideoElement, mode: TextTrackMode): void {
  const [track] = textTracks;
  if (track) track.mode = mode;
}

type CaptionState = { hasCaptions: boolean; isOn: boolean; toggle: () => void };

/** Shows what the server has heard in a video as captions, where there is something. */
function useCaptions(asset: Asset | undefined, video: HTMLVideoElement | null): CaptionState {
  const [isOn, setOn] = useState(() => readStorage(CAPTIONS_KEY) === 'on');
  const { data } = useQuery({
    ...momentsQuery(asset?.id ?? ''),
    enabled: asset !== undefined && !isGuest(),
  });
  const speech = data?.assetId === asset?.id ? data?.speech : undefined;
  const hasCaptions = speech !== undefined && speech.lines.length > 0;
  const id = asset?.id;
  const language = speech?.language ?? '';
  useEffect(() => {
    if (!video || !id || !hasCaptions) return;
    const track = document.createElement('track');
    track.kind = 'captions';
    track.label = t('Captions');
    track.srclang = language;
    track.src = toUrl(`/enrichment/videos/${id}/captions.vtt`);
    video.append(track);
    return () => track.remove();
  }, [video, id, hasCaptions, language]);
  useEffect(() => {
    if (video && hasCaptions) setCaptionMode(video, isOn ? 'showing' : 'hidden');
  }, [video, id, hasCaptions, isOn]);
  const toggle = () => {
    writeStorage(CAPTIONS_KEY, isOn ? undefined : 'on');
    setOn(!isOn);
  };
  return { hasCaptions, isOn, toggle };
}
