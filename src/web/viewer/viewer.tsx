import { ChevronLeft, ChevronRight, Info, X } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import Lightbox, { type Slide } from 'yet-another-react-lightbox';
import Video from 'yet-another-react-lightbox/plugins/video';
import Zoom from 'yet-another-react-lightbox/plugins/zoom';
import { isGuest } from '../api.ts';
import { MomentsStrip } from '../moments/moments-strip.tsx';
import { useMyId } from '../session/session.ts';
import { StackStrip } from '../stacks/stack-strip.tsx';
import type { Rights } from '../timeline/selection-actions.tsx';
import type { Timeline } from '../timeline/timeline-data.ts';
import { showError, showToast } from '../toast.tsx';
import type { Asset } from '../types.ts';
import { IconButton } from '../ui/parts.tsx';
import { useKeyListener } from '../ui/use-key-listener.ts';
import { AudioSlide } from './audio-slide.tsx';
import { followEdit } from './follow-edit.ts';
import { InfoPanel } from './info-panel.tsx';
import { LivePhoto } from './live-photo.tsx';
import { PlaybackError } from './playback-error.tsx';
import { type PhotoWindow, toPhotoItem } from './photo-window.ts';
import { toSlide } from './slides.ts';
import { useTools } from './use-tools.tsx';
import { useAsset } from './use-asset.ts';
import { usePhotoWindow } from './use-photo-window.ts';
import { useStack } from './use-stack.ts';
import styles from './viewer.module.css';
import { t } from '../i18n.ts';

type Props = {
  id: string;
  timeline: Timeline;
  may: Rights;
  onMove: (id: string) => void;
  onClose: (id: string) => void;
};

export function Viewer({ id, timeline, may, onMove, onClose }: Props) {
  const [isInfo, setInfo] = useState(false);
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
  const slides = useSlides(photos, id, member);
  useInertPage();

  const close = useCallback(() => onClose(id), [onClose, id]);
  const isMine = asset !== undefined && asset.ownerId === me;
  const leave = () => {
    const next = photos?.items[index + 1] ?? photos?.items[index - 1];
    if (member) show(undefined);
    else if (next) onMove(next.id);
    else close();
  };
  // In place: a lightbox that is taken away while it closes would never be closed.
  const follow = async () => {
    await followEdit(shownId, asset);
    await reload();
  };
  const toggleInfo = () => setInfo((old) => !old);
  const { tools, shortcuts, dialog } = useTools({
    id: shownId,
    asset,
    isMine,
    timeline,
    may,
    leave,
    onEdited: () => void follow().then(() => showToast(t('Saved'), 'success'), showError),
  });
  useShortcuts({ ...shortcuts, escape: close, ...(may.info && { i: toggleInfo }) });
  const buttons = tools.map(({ icon, label, isOn, run }) => (
    <IconButton key={label} icon={icon} label={label} isOn={isOn} onClick={run} />
  ));
  if (may.info) buttons.push(<InfoButton key="info" isOn={isInfo} onClick={toggleInfo} />);

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
      </div>
      {isInfo && (
        <InfoPanel
          asset={asset}
          isMine={isMine}
          albumId={timeline.filter.albumId}
          onClose={() => setInfo(false)}
        />
      )}
      {stage && index >= 0 && (
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
      {dialog}
    </div>,
    document.body,
  );
}

type ViewerLightboxProps = {
  stage: HTMLElement;
  index: number;
  slides: readonly Slide[];
  buttons: ReactNode[];
  close: () => void;
  onView: (index: number) => void;
};

function ViewerLightbox({ stage, index, slides, buttons, close, onView }: ViewerLightboxProps) {
  return (
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
      toolbar={{ buttons: [...buttons, 'close'] }}
      labels={{
        Lightbox: t('Photo'),
        Close: t('Close'),
        Next: t('Next photo'),
        Previous: t('Previous photo'),
      }}
      on={{
        view: ({ index: to }) => onView(to),
      }}
      render={{
        slide: ({ slide, offset }) =>
          slide.type === 'audio' && <AudioSlide slide={slide} isCurrent={offset === 0} />,
        slideContainer: ({ slide, children }) => <Backdrop slide={slide}>{children}</Backdrop>,
        slideFooter: ({ slide }) =>
          slide.type === 'video' || slide.type === 'audio' ? (
            <PlaybackError />
          ) : slide.liveVideoId ? (
            <LivePhoto videoId={slide.liveVideoId} />
          ) : null,
        iconError: () => (
          <p className={styles.viewerError}>{t('There is no picture of this file yet.')}</p>
        ),
        iconClose: () => <X size={22} aria-hidden />,
        iconPrev: () => <ChevronLeft size={30} aria-hidden />,
        iconNext: () => <ChevronRight size={30} aria-hidden />,
      }}
    />
  );
}

const InfoButton = ({ isOn, onClick }: { isOn: boolean; onClick: () => void }) => (
  <IconButton icon={Info} label={t('Information')} aria-expanded={isOn} onClick={onClick} />
);

/** A photo out of a stack is shown in the place of the one that stands for it. */
function useSlides(
  photos: PhotoWindow | undefined,
  id: string,
  member: Asset | undefined,
): readonly Slide[] {
  const slides = useMemo(() => photos?.items.map(toSlide) ?? [], [photos]);
  return useMemo(() => {
    if (!member) return slides;
    const shown = toSlide(toPhotoItem(member));
    return slides.map((slide) => (slide.assetId === id ? shown : slide));
  }, [slides, id, member]);
}

/** The thumbnail lies below until the larger picture has come: there is always something to see. */
function Backdrop({ slide, children }: { slide: Slide; children?: React.ReactNode }) {
  return (
    <>
      {slide.thumbnail && <img className={styles.viewerBelow} src={slide.thumbnail} alt="" />}
      {children}
    </>
  );
}

/** Keeps the page behind the viewer out of reach of the tab key and screen readers. */
function useInertPage(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    root?.setAttribute('inert', '');
    return () => root?.removeAttribute('inert');
  }, []);
}

function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  useKeyListener((event) => {
    const isText = (event.target as HTMLElement).closest?.('input, textarea, select, dialog');
    if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
    // The lightbox has its own way to close, with an animation.
    const isInside = (event.target as HTMLElement).closest?.('.yarl__root');
    if (isInside && event.key === 'Escape') return;
    actions[event.key.toLowerCase()]?.();
  });
}
