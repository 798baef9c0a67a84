import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';

type Props = {
  label: string;
  /** What is read out as its value. */
  text: string;
  /** The rendered value. */
  value: number;
  /** Returns the current value, from which keys go on: several may be pressed between two renders. */
  getValue: () => number;
  max: number;
  /** What an arrow key changes it by. */
  step: number;
  /** How far there is data. */
  loaded?: number;
  className?: string | undefined;
  /** 'isDone' is false while it is dragged. */
  onChange: (value: number, isDone: boolean) => void;
  /** The value below the pointer. */
  onHover?: (value: number | undefined) => void;
  /** Lies on the track. */
  children?: ReactNode;
};

const PAGE_STEPS = 6;

/** A line with a thumb, which a pointer drags and keys move. */
export function Slider({
  label,
  text,
  value,
  getValue,
  max,
  step,
  loaded = 0,
  className = '',
  onChange,
  onHover,
  children,
}: Props) {
  const isDragged = useRef(false);
  const change = (to: number, isDone: boolean) => onChange(Math.min(max, Math.max(0, to)), isDone);
  const valueAt = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width)) * max;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = findValue(event.key, { value: getValue(), max, step });
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    change(to, true);
  };
  const end = (event: PointerEvent, isKept: boolean) => {
    if (!isDragged.current) return;
    isDragged.current = false;
    change(isKept ? valueAt(event) : value, true);
  };
  const toPart = (of: number) => `${max > 0 ? Math.min(100, (of / max) * 100) : 0}%`;
  return (
    <div
      className={`player-slider ${className}`}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={text}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragged.current = true;
        change(valueAt(event), false);
      }}
      onPointerMove={(event) => {
        onHover?.(valueAt(event));
        if (isDragged.current) change(valueAt(event), false);
      }}
      onPointerUp={(event) => end(event, true)}
      onPointerCancel={(event) => end(event, false)}
      onPointerLeave={() => onHover?.(undefined)}
    >
      <span className="player-track">
        <span className="player-loaded" style={{ width: toPart(loaded) }} />
        <span className="player-done" style={{ width: toPart(value) }} />
      </span>
      {children}
      <span className="player-thumb" style={{ left: toPart(value) }} />
    </div>
  );
}

type Range = { readonly value: number; readonly max: number; readonly step: number };

/** Returns the value that a key leads to (WAI-ARIA); undefined for another key. */
export function findValue(key: string, { value, max, step }: Range): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: value - step,
    ArrowDown: value - step,
    ArrowRight: value + step,
    ArrowUp: value + step,
    PageDown: value - PAGE_STEPS * step,
    PageUp: value + PAGE_STEPS * step,
    Home: 0,
    End: max,
  };
  const to = targets[key];
  return to === undefined ? undefined : Math.min(max, Math.max(0, to));
}
