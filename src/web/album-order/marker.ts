import type { Scroller } from '../timeline/scroller.ts';
import type { Point, Spot } from './spot.ts';
import tagStyles from '../tags/tags.module.css';
import timelineStyles from '../timeline/timeline.module.css';
import { t } from '../i18n.ts';

const LINE_PX = 4;

/** The line between two pictures and the label at the pointer, which follow it without a new drawing of the rest. */
export function createMarker(scroller: Scroller, count: number) {
  let elements: { line: HTMLElement; label: HTMLElement } | undefined;
  function create() {
    const [line, label] = [document.createElement('div'), document.createElement('div')];
    line.className = timelineStyles.band ?? '';
    line.style.width = `${LINE_PX}px`;
    label.className = tagStyles.dragLabel ?? '';
    Object.assign(label.style, { inset: '0 auto auto 0', zIndex: '50', pointerEvents: 'none' });
    label.textContent = t('{count, plural, one {# item} other {# items}}', { count });
    scroller.element()?.querySelector('[data-part=timeline-body]')?.append(line);
    document.body.append(label);
    return { line, label };
  }
  return {
    draw(spot: Spot | undefined, at: Point) {
      elements ??= create();
      const { line, label } = elements;
      label.style.transform = `translate(${at.x + 12}px, ${at.y + 12}px)`;
      line.hidden = spot === undefined;
      if (!spot) return;
      line.style.transform = `translate(${spot.left - LINE_PX / 2}px, ${spot.top}px)`;
      line.style.height = `${spot.height}px`;
    },
    remove() {
      elements?.line.remove();
      elements?.label.remove();
    },
  };
}
