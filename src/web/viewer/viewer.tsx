import { useQuery } from '@tanstack/react-query';
import { Info, Maximize, Play, Settings } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Slide } from 'yet-another-react-lightbox';
import { isGuest } from '../api.ts';
import { t } from '../i18n.ts';
import { lazyComponent } from '../lazy.tsx';
import { MomentsStrip } from '../moments/moments-strip.tsx';
import { useMyId } from '../session/session.ts';
import { serverFeaturesQuery } from '../shell/queries.ts';
import { StackStrip } from '../stacks/stack-strip.tsx';
import type { Rights } from '../timeline/action-names.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { useStore } from '../store.ts';
import { showError } from '../toast.tsx';
import type { Asset } from '../types.ts';
import { useLatest } from '../ui/use-latest.ts';
import { ActivityPill } from './activity-pill.tsx';
import { canFullscreen, toggleFullscreen } from './fullscreen.ts';
import { InfoPanel } from './info-panel.tsx';
import { type PhotoWindow, toPhotoItem } from './photo-window.ts';
import { PreferencesDialog } from './preferences-dialog.tsx';
import { viewerPreferences } from './preferences.ts';
import { toSlide } from './slides.ts';
import type { Tool } from './tool.ts';
import { useToolbar } from './toolbar.tsx';
import { useAsset } from './use-asset.ts';
import { usePhotoWindow } from './use-photo-window.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useStack } from './use-stack.ts';
import { useTools } from './use-tools.tsx';
import { useVideoTools } from './use-video-tools.ts';
import { FrameContent } from './viewer-frame.tsx';
import { ViewerLightbox } from './viewer-lightbox.tsx';
import styles from './viewer.module.css';
import { invalidate, queryClient } from '../query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import { assetQuery } from './queries.ts';

const POLLING_MS = 300;
/** A picture that looks the same mirrored is not seen to change. */
const PATIENCE_MS = 6000;

/** Waits until the server has made another picture of a photo, or for `PATIENCE_MS`. */
async function followEdit(id: string, before: Asset | undefined): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const fetchAgain = () => queryClient.fetchQuery({ ...assetQuery(id), staleTime: 0 });
  let now = await fetchAgain();
  while (now.thumbhash === before?.thumbhash && performance.now() < end) {
    await new Promise((done) => setTimeout(done, POLLING_MS));
    now = await fetchAgain();
  }
  await invalidate([...PHOTOS, keys.assets, keys.stacks]);
}

const Slideshow = lazyComponent(() =>
  import('./slideshow/slideshow.tsx').then((module) => module.Slideshow),
);

type Props = {
  id: string;
  timeline: Timeline;
  may: Rights;
  onMove: (id: string) => void;
  onClose: (id: string) => void;
};

export function Viewer({ id, timeline, may, onMove, onClose }: Props) {
  const [isInfo, setInfo] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const [stage, setStage] = useState<HTMLDivElement | null>(null);
  const top = useAsset(id);
  const me = useMyId();
  const { stack, member, show } = useStack(top);
  const asset = member ?? top;
  const shownId = member?.id ?? id;
  const { photos, index, reload } = usePhotoWindow(timeline, id, (error) => {
    showError(error);
    onClose(id);
  });
  const slides = useSlides(photos, id, top, member);
  useInertPage();

  const close = useCallback(() => onClose(id), [onClose, id]);
  const isMine = asset !== undefined && asset.ownerId === me;
  // The neighbours may have come while a tool was at work.
  const latestPhotos = useLatest(photos);
  const leave = () => {
    const items = latestPhotos.current?.items ?? [];
    const at = items.findIndex((item) => item.id === id);
    const next = items[at + 1] ?? items[at - 1];
    if (member) show(undefined);
    else if (next) onMove(next.id);
    else close();
  };
  // In place: a lightbox that is taken away while it closes would never be closed.
  const follow = async () => {
    await followEdit(shownId, asset);
    await reload();
  };
  const { tools, dialog } = useTools({
    id: shownId,
    asset,
    isMine,
    timeline,
    may,
    leave,
    onEdited: () => follow().catch(showError),
  });
  const info: Tool = {
    icon: Info,
    label: t('Information'),
    isExpanded: isInfo,
    keys: 'i',
    place: 'bar',
    run: () => setInfo((old) => !old),
  };
  const videoTools = useVideoTools(asset, stage);
  const allTools = [
    ...videoTools,
    ...tools,
    ...(may.info ? [info] : []),
    ...createScreenTools(
      () => setPlaying(true),
      () => setChoosing(true),
    ),
  ];
  useShortcuts(isPlaying ? [] : allTools, isPlaying ? undefined : close);
  const buttons = useToolbar(allTools);
  const { albumId } = timeline.filter;

  return createPortal(
    <div
      className={isInfo ? `${styles.viewer} ${styles.withInfo}` : styles.viewer}
      data-scheme="dark"
      role="dialog"
      aria-modal
      aria-label={t('Photo viewer')}
    >
      <div className="viewer-main">
        {/* By itself: the lightbox switches off all that is beside it. */}
        <div ref={setStage} className="viewer-stage" />
        {index < 0 && <FrameContent id={id} onClose={close} />}
        {asset?.type === 'VIDEO' && !isGuest() && (
          <MomentsStrip
            key={asset.id}
            asset={asset}
            isMine={isMine}
            stage={stage}
            onCover={() => void follow().catch(() => undefined)}
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
              void reload();
            }}
          />
        )}
        {albumId && !isGuest() && (
          <ActivityPill albumId={albumId} assetId={shownId} onComments={() => setInfo(true)} />
        )}
      </div>
      {isInfo && (
        <InfoPanel asset={asset} isMine={isMine} albumId={albumId} onClose={() => setInfo(false)} />
      )}
      {/* Away meanwhile: a video below would be heard. */}
      {stage && index >= 0 && !isPlaying && (
        <ViewerLightbox
          stage={stage}
          index={index}
          slides={slides}
          buttons={buttons}
          close={close}
          onView={(to) => {
            const item = photos?.items[to];
            if (item && item.id !== id) onMove(item.id);
          }}
        />
      )}
      {isPlaying && (
        <Slideshow
          timeline={timeline}
          startId={id}
          onClose={(lastId) => {
            setPlaying(false);
            if (lastId !== id) onMove(lastId);
          }}
        />
      )}
      {isChoosing && <PreferencesDialog onClose={() => setChoosing(false)} />}
      {dialog}
    </div>,
    document.body,
  );
}

/** The ways to look at the photos that everybody has. */
const createScreenTools = (play: () => void, choose: () => void): readonly Tool[] => [
  { icon: Play, label: t('Slideshow'), keys: 'p', place: 'menu', run: play },
  ...(canFullscreen()
    ? [
        {
          icon: Maximize,
          label: t('Full screen'),
          keys: 'Shift+F',
          place: 'menu',
          run: toggleFullscreen,
        } as const,
      ]
    : []),
  { icon: Settings, label: t('Viewer settings'), place: 'menu', run: choose },
];

/**
 * A photo out of a stack is shown in the place of the one that stands for it. A photo whose size is
 * known can be zoomed to its own pixels.
 */
function useSlides(
  photos: PhotoWindow | undefined,
  id: string,
  top: Asset | undefined,
  member: Asset | undefined,
): readonly Slide[] {
  const isFull = useStore(viewerPreferences, (preferences) => preferences.isFullSize);
  const { data: features } = useQuery(serverFeaturesQuery());
  const isStreamed = features?.realtimeTranscoding ?? false;
  const slides = useMemo(
    () => photos?.items.map((item) => toSlide(item, { isFull, isStreamed })) ?? [],
    [photos, isFull, isStreamed],
  );
  const asset = member ?? top;
  const side = asset ? Math.max(asset.width ?? 0, asset.height ?? 0) : 0;
  return useMemo(() => {
    const item = member ? toPhotoItem(member) : photos?.items.find((one) => one.id === id);
    if (!item || side === 0) return slides;
    const shown = toSlide(item, { side, isFull, isStreamed });
    return slides.map((slide) => (slide.assetId === id ? shown : slide));
  }, [slides, photos, id, member, side, isFull, isStreamed]);
}

/** Keeps the page behind the viewer out of reach of the tab key and screen readers. */
function useInertPage(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    root?.setAttribute('inert', '');
    return () => root?.removeAttribute('inert');
  }, []);
}
