import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import type { ReactNode } from 'react';
import Lightbox, { type Slide } from 'yet-another-react-lightbox';
import Video from 'yet-another-react-lightbox/plugins/video';
import Zoom from 'yet-another-react-lightbox/plugins/zoom';
import lightboxRules from 'yet-another-react-lightbox/styles.css' with { type: 'text' };
import { t } from '../../base/i18n.ts';
import { adoptRules } from '../../ui/adopt-rules.ts';
import { NARROW, useMediaQuery } from '../../ui/use-media-query.ts';
import { AudioSlide } from './audio-slide.tsx';
import { LivePhoto } from './live-photo.tsx';
import { MissingPicture } from './missing-picture.tsx';
import { Playback } from './playback.tsx';
import styles from './viewer.module.css';

// In a layer, so that the page's own rules win.
adoptRules(`@layer lightbox{${lightboxRules}}`);

type Props = {
  stage: HTMLElement;
  index: number;
  slides: readonly Slide[];
  buttons: ReactNode[];
  close: () => void;
  /** It is about to fade. */
  onClosing: () => void;
  onView: (index: number) => void;
};

/** The shown photo between its neighbours, below the bar. */
export function ViewerLightbox(props: Props) {
  const { stage, index, slides, buttons, close, onClosing, onView } = props;
  const isNarrow = useMediaQuery(NARROW);
  const currentId = slides[index]?.assetId;
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
      video={{ controls: false, autoPlay: true, playsInline: true, preload: 'metadata' }}
      toolbar={{ buttons: [...buttons, 'close'] }}
      labels={{
        Lightbox: t('Photo'),
        Close: t('Close'),
        Next: t('Next photo'),
        Previous: t('Previous photo'),
        'Zoom in': t('Zoom in'),
        'Zoom out': t('Zoom out'),
      }}
      on={{
        view: ({ index: to }) => onView(to),
        exiting: onClosing,
      }}
      render={{
        slide: ({ slide, offset }) =>
          slide.type === 'audio' && <AudioSlide slide={slide} isCurrent={offset === 0} />,
        slideContainer: ({ slide, children }) => <Backdrop slide={slide}>{children}</Backdrop>,
        slideFooter: ({ slide }) =>
          slide.type === 'video' || slide.type === 'audio' ? (
            <Playback
              videoId={slide.type === 'video' ? slide.assetId : undefined}
              stage={stage}
              isCurrent={slide.assetId === currentId}
              isStreamed={slide.type === 'video' && slide.sources.length === 0}
            />
          ) : slide.liveVideoId ? (
            <LivePhoto videoId={slide.liveVideoId} isCurrent={slide.assetId === currentId} />
          ) : null,
        // A double tap fits or zooms there, and the bar is full.
        ...(isNarrow && { buttonZoom: () => null }),
        iconError: () => <MissingPicture />,
        iconClose: () => <X size={22} aria-hidden />,
        iconPrev: () => <ChevronLeft size={30} aria-hidden />,
        iconNext: () => <ChevronRight size={30} aria-hidden />,
      }}
    />
  );
}

/** The thumbnail lies below until the larger picture has come: there is always something to see. */
function Backdrop({ slide, children }: { slide: Slide; children?: ReactNode }) {
  return (
    <>
      {slide.thumbnail && <img className={styles.viewerBelow} src={slide.thumbnail} alt="" />}
      {children}
    </>
  );
}
