import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import {
  type AssetFace,
  type Place,
  getPlace,
  resizePlace,
  movePlace,
} from '../../data/people/faces-data.ts';
import { getName } from '../../data/people/people-data.ts';
import { toBoxStyle } from './box-style.ts';
import styles from './people.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  face: AssetFace;
  isChosen: boolean;
  onChoose: () => void;
  onMove: (place: Place) => void;
};

const STEP = 0.01;
const SETTLE_MS = 700;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** A box that is chosen by a click; then dragging moves it, and its corner makes it larger. */
export function FaceBox({ face, isChosen, onChoose, onMove }: Props) {
  const [draft, setDraft] = useState<Place>();
  const drag = useRef<{ x: number; y: number; place: Place; isCorner: boolean }>(undefined);
  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  const place = draft ?? getPlace(face);
  const name = face.person ? getName(face.person) : t('Unassigned');

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation();
    if (!isChosen) return onChoose();
    event.currentTarget.setPointerCapture(event.pointerId);
    const isCorner = 'corner' in (event.target as HTMLElement).dataset;
    drag.current = { x: event.clientX, y: event.clientY, place, isCorner };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const from = drag.current;
    const picture = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!from || !picture) return;
    const change = from.isCorner ? resizePlace : movePlace;
    const dx = (event.clientX - from.x) / picture.width;
    const dy = (event.clientY - from.y) / picture.height;
    if (dx !== 0 || dy !== 0) setDraft(change(from.place, dx, dy));
  };
  const onPointerUp = () => {
    if (drag.current && draft) onMove(draft);
    drag.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = KEYS[event.key];
    if (!by || !isChosen) return;
    event.preventDefault();
    const next = (event.shiftKey ? resizePlace : movePlace)(place, ...by);
    setDraft(next);
    clearTimeout(settle.current);
    settle.current = setTimeout(() => onMove(next), SETTLE_MS);
  };
  const state = `${isChosen ? styles.on : ''} ${face.isHidden ? styles.off : ''}`;
  return (
    <button
      data-part="face-box"
      className={`${styles.faceBox} ${state}`}
      style={toBoxStyle(place)}
      aria-label={face.isHidden ? t('Face: {name}, hidden', { name }) : t('Face: {name}', { name })}
      aria-pressed={isChosen}
      autoFocus={isChosen}
      onClick={onChoose}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = undefined;
        setDraft(undefined);
      }}
      onKeyDown={onKeyDown}
    >
      <span className={styles.faceLabel}>{name}</span>
      {isChosen && <span data-corner className={styles.faceCorner} />}
    </button>
  );
}
