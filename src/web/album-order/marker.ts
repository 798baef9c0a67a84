import type { Scroller } from '../timeline/scroller.ts';
import type { Point, Spot } from './spot.ts';
import styles from './album-order.module.css';
import { t } from '../i18n.ts';

/** The line between two pictures and the label at the pointer, which follow it without a new drawing of the rest. */
export function createMarker(scroller: Scroller, count: number) {
  let elements: { line: HTMLElement; label: HTMLElement } | undefined;
  function create() {
    const [line, label] = [document.createElement('div'), document.createElement('div')];
    line.className = styles.arrangeLine ?? '';
    label.className = styles.arrangeLabel ?? '';
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
      line.style.transform = `translate(${spot.left}px, ${spot.top}px)`;
      line.style.height = `${spot.height}px`;
    },
    remove() {
      elements?.line.remove();
      elements?.label.remove();
    },
  };
}
