import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
} from 'react';
import type { Cut, Edits } from '../../data/edits/edit-data.ts';
import { dragCut, type Handle, stepInPicture, WHOLE } from './geometry.ts';
import styles from './edits.module.css';
import { t } from '../../base/i18n.ts';

const NAMES: Record<Handle, string> = {
  move: t('Move the crop'),
  nw: t('Top left corner of the crop'),
  ne: t('Top right corner of the crop'),
  sw: t('Bottom left corner of the crop'),
  se: t('Bottom right corner of the crop'),
};
const CORNERS = ['nw', 'ne', 'sw', 'se'] as const;
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** The step of an arrow key, as a part of the picture. */
const KEY_STEP = 0.01;

type Props = {
  /** The whole picture. */
  children: ReactNode;
  edits: Edits;
  /** The size of the picture before it is turned, in CSS px. */
  width: number;
  height: number;
  onCut: (cut: Cut) => void;
};

/** The picture with what is cut away darkened; corners can be dragged, or moved by arrow keys. */
export function CropBox({ children, edits, width, height, onCut }: Props) {
  const { angle, isMirrored, cut = WHOLE } = edits;
  const drag = useRef<{ x: number; y: number; cut: Cut }>(undefined);

  const begin = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, cut };
  };
  const move = (event: PointerEvent, handle: Handle) => {
    const from = drag.current;
    if (!from) return;
    const [dx, dy] = stepInPicture(event.clientX - from.x, event.clientY - from.y, edits);
    onCut(dragCut(from.cut, handle, dx / width, dy / height));
  };
  const onKeyDown = (event: KeyboardEvent, handle: Handle) => {
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    const [dx, dy] = stepInPicture(step[0] * KEY_STEP, step[1] * KEY_STEP, edits);
    onCut(dragCut(cut, handle, dx, dy));
  };
  const getHandleProps = (handle: Handle) => ({
    'aria-label': NAMES[handle],
    onPointerDown: begin,
    onPointerMove: (event: PointerEvent) => move(event, handle),
    onPointerUp: () => (drag.current = undefined),
    onPointerCancel: () => (drag.current = undefined),
    onKeyDown: (event: KeyboardEvent) => onKeyDown(event, handle),
  });
  const part = (value: number) => `${value * 100}%`;
  const place: CSSProperties = {
    left: part(cut.x),
    top: part(cut.y),
    width: part(cut.width),
    height: part(cut.height),
  };
  return (
    <div
      data-part="crop"
      className={styles.crop}
      style={{
        width,
        height,
        // The last one is done first.
        transform: `translate(-50%, -50%) ${isMirrored ? 'scaleX(-1)' : ''} rotate(${angle}deg)`,
      }}
    >
      {children}
      <div className={styles.cropCut} style={place}>
        <button className={styles.cropMove} {...getHandleProps('move')} />
        {CORNERS.map((corner) => (
          <button
            key={corner}
            className={`${styles.cropCorner} ${styles[corner]}`}
            {...getHandleProps(corner)}
          />
        ))}
      </div>
    </div>
  );
}
