import {
  Archive,
  ArchiveRestore,
  ChevronLeft,
  ChevronRight,
  Download,
  Heart,
  Info,
  X,
} from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import Lightbox, { type Slide } from 'yet-another-react-lightbox';
import Video from 'yet-another-react-lightbox/plugins/video';
import Zoom from 'yet-another-react-lightbox/plugins/zoom';
import { session } from '../session/session.ts';
import { useStore } from '../store.ts';
import { download, setFavorite, setVisibility } from '../timeline/asset-actions.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { showError } from '../toast.tsx';
import { IconButton } from '../ui/parts.tsx';
import { InfoPanel } from './info-panel.tsx';
import { LivePhoto } from './live.tsx';
import { slideOf } from './slides.ts';
import { useAsset } from './use-asset.ts';
import { type Stretch, stretchAround } from './window.ts';

type Props = {
  id: string;
  timeline: Timeline;
  onMove: (id: string) => void;
  onClose: (id: string) => void;
};

/** So near the end of the stretch, the next one is fetched. */
const NEAR = 4;

export function Viewer({ id, timeline, onMove, onClose }: Props) {
  const [stretch, setStretch] = useState<Stretch>();
  const [isInfo, setInfo] = useState(false);
  const [stage, setStage] = useState<HTMLDivElement | null>(null);
  const { asset, setAsset } = useAsset(id);
  const me = useStore(session, (now) => ('me' in now ? now.me.id : ''));
  const index = stretch?.items.findIndex((item) => item.id === id) ?? -1;
  const slides = useMemo(() => stretch?.items.map(slideOf) ?? [], [stretch]);

  useInertPage();
  useStretch(timeline, id, stretch, index, setStretch, onClose);

  const close = useCallback(() => onClose(id), [onClose, id]);
  const isFavorite = useFavorite(timeline, id) ?? asset?.isFavorite ?? false;
  const isMine = asset?.ownerId === me;
  const favorite = () => {
    if (isMine) void setFavorite(timeline, new Set([id]), !isFavorite);
  };
  const archive = async () => {
    const next = stretch?.items[index + 1] ?? stretch?.items[index - 1];
    const isArchived = asset?.visibility === 'archive';
    if (!(await setVisibility(new Set([id]), isArchived ? 'timeline' : 'archive'))) return;
    if (next) onMove(next.id);
    else close();
  };
  useShortcuts({ f: favorite, i: () => setInfo((old) => !old) });

  const tools = [
    isMine && (
      <IconButton
        key="favorite"
        icon={Heart}
        label={isFavorite ? 'Remove from favourites' : 'Add to favourites'}
        isOn={isFavorite}
        onClick={favorite}
      />
    ),
    isMine && (
      <IconButton
        key="archive"
        icon={asset.visibility === 'archive' ? ArchiveRestore : Archive}
        label={asset.visibility === 'archive' ? 'Move back to the timeline' : 'Archive'}
        onClick={() => void archive()}
      />
    ),
    <IconButton
      key="download"
      icon={Download}
      label="Download"
      onClick={() => void download([id])}
    />,
    <IconButton
      key="info"
      icon={Info}
      label="Information"
      aria-expanded={isInfo}
      onClick={() => setInfo(!isInfo)}
    />,
    'close' as const,
  ].filter((tool) => tool !== false);

  return createPortal(
    <div
      className={isInfo ? 'viewer with-info' : 'viewer'}
      role="dialog"
      aria-modal
      aria-label="Photo viewer"
    >
      <div ref={setStage} className="viewer-stage" />
      {isInfo && (
        <InfoPanel
          asset={asset}
          isMine={isMine}
          onChange={setAsset}
          onClose={() => setInfo(false)}
        />
      )}
      {stage && index >= 0 && (
        <Lightbox
          open
          close={close}
          index={index}
          slides={slides}
          plugins={[Zoom, Video]}
          portal={{ root: stage }}
          noScroll={{ disabled: true }}
          carousel={{ finite: true, preload: 1, padding: 0, spacing: '8%' }}
          animation={{ fade: 150, swipe: 220, navigation: 160 }}
          controller={{ closeOnPullDown: true, closeOnBackdropClick: true }}
          zoom={{ maxZoomPixelRatio: 2, scrollToZoom: true, doubleClickMaxStops: 1 }}
          video={{ controls: true, autoPlay: true, playsInline: true, preload: 'metadata' }}
          toolbar={{ buttons: tools }}
          labels={{
            Lightbox: 'Photo',
            Close: 'Close',
            Next: 'Next photo',
            Previous: 'Previous photo',
          }}
          on={{
            view: ({ index: to }) => {
              const item = stretch?.items[to];
              if (item && item.id !== id) onMove(item.id);
            },
          }}
          render={{
            slideContainer: ({ slide, children }) => <Backdrop slide={slide}>{children}</Backdrop>,
            slideFooter: ({ slide }) =>
              slide.liveVideoId ? <LivePhoto videoId={slide.liveVideoId} /> : null,
            iconError: () => <p className="viewer-error">There is no picture of this file yet.</p>,
            iconClose: () => <X size={22} aria-hidden />,
            iconPrev: () => <ChevronLeft size={30} aria-hidden />,
            iconNext: () => <ChevronRight size={30} aria-hidden />,
          }}
        />
      )}
    </div>,
    document.body,
  );
}

/** The thumbnail lies below until the larger picture has come: there is always something to see. */
function Backdrop({ slide, children }: { slide: Slide; children?: React.ReactNode }) {
  return (
    <>
      {slide.thumbnail && <img className="viewer-below" src={slide.thumbnail} alt="" />}
      {children}
    </>
  );
}

function useStretch(
  timeline: Timeline,
  id: string,
  stretch: Stretch | undefined,
  index: number,
  show: (stretch: Stretch) => void,
  onClose: (id: string) => void,
): void {
  const isNearEnd =
    !stretch ||
    index < 0 ||
    (index < NEAR && !stretch.isStart) ||
    (index >= stretch.items.length - NEAR && !stretch.isEnd);
  useEffect(() => {
    if (!isNearEnd) return;
    let isGone = false;
    stretchAround(timeline, id).then(
      (found) => {
        if (!isGone) show(found);
      },
      (error: unknown) => {
        if (isGone) return;
        showError(error);
        onClose(id);
      },
    );
    return () => {
      isGone = true;
    };
  }, [timeline, id, isNearEnd]);
}

function useFavorite(timeline: Timeline, id: string): boolean | undefined {
  return useStore(timeline.state, ({ months }) => {
    for (const { columns } of months) {
      const item = columns?.id.indexOf(id) ?? -1;
      if (item >= 0) return columns?.isFavorite[item];
    }
    return undefined;
  });
}

/** What lies behind the viewer cannot be reached by the tab key or a screen reader. */
function useInertPage(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    root?.setAttribute('inert', '');
    return () => root?.removeAttribute('inert');
  }, []);
}

function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isText = (event.target as HTMLElement).closest?.('input, textarea, select, dialog');
      if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
      latest.current[event.key.toLowerCase()]?.();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
