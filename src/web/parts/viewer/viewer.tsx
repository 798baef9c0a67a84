import { Info, Maximize, Play, Settings } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { lazyComponent } from '../../ui/lazy.tsx';
import { PhotoStrips } from './photo-strips.tsx';
import type { Rights } from '../grid/action-names.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { showError } from '../../ui/toast.tsx';
import type { Asset } from '../../data/types.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { canFullscreen, toggleFullscreen } from '../video/fullscreen.ts';
import { flyIn, flyOut } from './flight.ts';
import { InfoPanel } from './info-panel.tsx';
import type { PhotoItem, PhotoWindow } from '../../data/viewer/photo-window.ts';
import { PreferencesDialog } from './preferences-dialog.tsx';
import type { Tool } from './tool.ts';
import { useToolbars } from './toolbar.tsx';
import { usePhotoWindow } from './use-photo-window.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { type ShownAsset, useShownAsset } from './use-shown-asset.ts';
import { useSlides } from './use-slides.ts';
import { useSwipeUp } from './use-swipe-up.ts';
import { useTools } from './use-tools.tsx';
import { useVideoTools } from './use-video-tools.ts';
import { FrameContent, hasShownFrame } from './viewer-frame.tsx';
import { ViewerLightbox } from './viewer-lightbox.tsx';
import { ViewerPlayer } from './viewer-player.tsx';
import styles from './viewer.module.css';
import { invalidate, queryClient } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../../data/query-keys.ts';
import { assetQuery } from '../../data/viewer/queries.ts';

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
  const shown = useShownAsset(id);
  const { asset, shownId, isMine } = shown;
  const { photos, index, reload } = usePhotoWindow(timeline, id, (error) => {
    showError(error);
    onClose(id);
  });
  const slides = useSlides(photos, id, shown);
  const box = useRef<HTMLDivElement>(null);
  useGrowth(box, id);
  useInertPage();

  const close = useCallback(() => onClose(id), [onClose, id]);
  const shrink = () => box.current && flyOut(box.current, id);
  const moveTo = (next: string | undefined) => {
    if (next !== undefined && next !== id) onMove(next);
  };
  const leave = useLeave(photos, shown, { id, onMove, onClose });
  // In place: a lightbox that is taken away while it closes would never be closed.
  const follow = async () => {
    await followEdit(shownId, asset);
    await reload();
  };
  const onEdited = () => follow().catch(showError);
  const { tools, dialog } = useTools({ shown, timeline, may, leave, onEdited });
  const videoTools = useVideoTools(asset, stage);
  const allTools = [
    ...tools,
    ...(may.info ? [createInfoTool(isInfo, () => setInfo((old) => !old))] : []),
    ...createScreenTools(
      () => setPlaying(true),
      () => setChoosing(true),
    ),
  ];
  const closeByKey = () => {
    shrink();
    close();
  };
  useShortcuts(isPlaying ? [] : [...videoTools, ...allTools], isPlaying ? undefined : closeByKey);
  const { above, below } = useToolbars(allTools, isInfo);
  useSwipeUp(stage, () => may.info && setInfo(true));
  const { albumId } = timeline.filter;

  return createPortal(
    <div
      ref={box}
      className={styles.viewer}
      data-scheme="dark"
      role="dialog"
      aria-modal
      aria-label={t('Photo viewer')}
    >
      <div className="viewer-main">
        {/* By itself: the lightbox switches off all that is beside it. */}
        <div ref={setStage} className="viewer-stage" />
        {index < 0 && <FrameContent id={id} onClose={close} />}
        <ViewerPlayer asset={asset} stage={stage} tools={videoTools} />
        <PhotoStrips
          id={id}
          shown={shown}
          stage={stage}
          albumId={albumId}
          onCover={() => void follow().catch(() => undefined)}
          onStackChange={() => void reload()}
        />
      </div>
      {!isInfo && below}
      {isInfo && <InfoPanel asset={asset} isMine={isMine} onClose={() => setInfo(false)} />}
      {/* Away meanwhile: a video below would be heard. */}
      {stage && index >= 0 && !isPlaying && (
        <ViewerLightbox
          stage={stage}
          index={index}
          slides={slides}
          buttons={above}
          close={close}
          onClosing={shrink}
          onView={(to) => moveTo(photos?.items[to]?.id)}
        />
      )}
      {isPlaying && (
        <Slideshow
          timeline={timeline}
          startId={id}
          onClose={(lastId) => {
            setPlaying(false);
            moveTo(lastId);
          }}
        />
      )}
      {isChoosing && <PreferencesDialog onClose={() => setChoosing(false)} />}
      {dialog}
    </div>,
    document.body,
  );
}

/** Returns what leaves a photo that is gone: for the rest of its stack, or for its neighbour. */
function useLeave(
  photos: PhotoWindow | undefined,
  { member, show }: ShownAsset,
  { id, onMove, onClose }: Pick<Props, 'id' | 'onMove' | 'onClose'>,
): () => void {
  // The neighbours may have come while a tool was at work.
  const latestPhotos = useLatest(photos);
  return () => {
    const next = findNeighbour(latestPhotos.current, id);
    if (member) show(undefined);
    else if (next) onMove(next.id);
    else onClose(id);
  };
}

function findNeighbour(photos: PhotoWindow | undefined, id: string): PhotoItem | undefined {
  const items = photos?.items ?? [];
  const at = items.findIndex((item) => item.id === id);
  return items[at + 1] ?? items[at - 1];
}

const createInfoTool = (isExpanded: boolean, toggle: () => void): Tool => ({
  icon: Info,
  label: t('Information'),
  isExpanded,
  keys: 'i',
  place: 'bar',
  run: toggle,
});

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

/** The photo comes out of its tile, unless it has been shown while the code of the viewer was on its way. */
function useGrowth(box: RefObject<HTMLDivElement | null>, id: string): void {
  const opened = useRef(id);
  useLayoutEffect(() => {
    if (box.current && !hasShownFrame(opened.current)) flyIn(box.current, opened.current);
  }, [box]);
}

/** Keeps the page behind the viewer out of reach of the tab key and screen readers. */
function useInertPage(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    root?.setAttribute('inert', '');
    return () => root?.removeAttribute('inert');
  }, []);
}
