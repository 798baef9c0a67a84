import { RefreshCw } from 'lucide-react';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { UNREACHABLE } from '../base/api.ts';
import { isOffline } from '../base/connection.ts';
import { t } from '../base/i18n.ts';
import { invalidate } from '../base/query-client.ts';
import { followPulls, isArmed } from './pull.ts';

const SIZE_PX = 40;

/** Without a rule of its own in the style sheet of the first view. */
const BADGE: CSSProperties = {
  position: 'absolute',
  zIndex: 7,
  top: -SIZE_PX,
  left: `calc(50% - ${SIZE_PX / 2}px)`,
  display: 'grid',
  placeItems: 'center',
  width: SIZE_PX,
  height: SIZE_PX,
  borderRadius: '50%',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow)',
  opacity: 0,
  pointerEvents: 'none',
};
const TURN_MS = 900;
/** The distance in px from the top while it turns. */
const RESTING_PX = 60;

/** Refreshes what is shown when a finger pulls the page down. Stands in the element that has the pages. */
export function PullToRefresh() {
  const badge = useRef<HTMLDivElement>(null);
  const isRefreshing = useRef(false);
  const [status, setStatus] = useState('');
  useEffect(() => keepOverscroll(), []);
  useEffect(() => {
    const area = badge.current?.parentElement;
    if (!area) return undefined;
    return followPulls(area, {
      canBegin: () => !isRefreshing.current,
      onPull: (distance) => draw(badge.current, distance),
      onRefresh() {
        isRefreshing.current = true;
        setStatus('');
        const stop = turn(badge.current);
        void refresh().then((text) => {
          stop();
          isRefreshing.current = false;
          setStatus(text);
        });
      },
    });
  }, []);
  return (
    <>
      <div ref={badge} data-part="pull" style={BADGE} aria-hidden>
        <RefreshCw size={20} />
      </div>
      <p role="status" className="hidden-title">
        {status}
      </p>
    </>
  );
}

/** Fetches again what is shown. Resolves with a sentence about it; never rejects. */
async function refresh(): Promise<string> {
  await invalidate([[]]).catch(() => undefined);
  return isOffline.get() ? UNREACHABLE : t('Updated');
}

/** The browser's own refresh would load the page anew. Returns the function that gives it back. */
function keepOverscroll(): () => void {
  const elements = [document.documentElement, document.body];
  for (const { style } of elements) style.overscrollBehaviorY = 'contain';
  return () => {
    for (const { style } of elements) style.overscrollBehaviorY = '';
  };
}

function draw(badge: HTMLElement | null, distance: number): void {
  if (!badge) return;
  const isShown = distance > 0;
  // While a finger holds it, it follows without delay.
  badge.style.transition = isShown ? '' : 'opacity 150ms, transform 150ms';
  badge.style.opacity = isShown ? '1' : '0';
  badge.style.color = isArmed(distance) ? 'var(--accent)' : 'var(--muted)';
  badge.style.transform = `translateY(${distance}px) rotate(${distance * 3}deg)`;
}

/** Turns until the returned function is called; without motion, the badge stands still. */
function turn(badge: HTMLElement | null): () => void {
  draw(badge, RESTING_PX);
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const icon = badge?.firstElementChild;
  const animation = isStill
    ? undefined
    : icon?.animate([{ rotate: '0deg' }, { rotate: '360deg' }], {
        duration: TURN_MS,
        iterations: Infinity,
      });
  return () => {
    animation?.cancel();
    draw(badge, 0);
  };
}
