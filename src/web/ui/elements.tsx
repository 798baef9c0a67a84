import type { LucideIcon } from 'lucide-react';
import { type ButtonHTMLAttributes, type ReactNode, useEffect } from 'react';
import { ApiError, getMessage, isRetryable } from '../base/api.ts';
import { showFailure } from './shown-failures.ts';
import { t } from '../base/i18n.ts';

type IconButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  icon: LucideIcon;
  label: string;
  /** Shown beside the icon; true: the label. */
  word?: string | true | undefined;
  isOn?: boolean | undefined;
};

/** A button with an icon, or the children in its place: its name is read out and shown as a tip. */
export function IconButton({
  icon: Icon,
  label,
  word: given,
  isOn,
  className = '',
  children,
  ...rest
}: IconButtonProps) {
  const word = given === true ? label : given;
  // Visible text may not differ from the name of a button, unless the name is text, too.
  const hasText = Boolean(word ?? children);
  return (
    <button
      type="button"
      className={`icon-button ${word ? 'with-word ' : ''}${className}`}
      aria-label={hasText ? undefined : label}
      title={label}
      aria-pressed={isOn}
      {...rest}
    >
      {children ?? <Icon size={20} aria-hidden fill={isOn ? 'currentColor' : 'none'} />}
      {word && <span aria-hidden>{word}</span>}
      {hasText && <span className="hidden-title">{label}</span>}
    </button>
  );
}

type EmptyProps = { icon: LucideIcon; title: string; text: string; children?: ReactNode };

export function Empty({ icon: Icon, title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon size={44} strokeWidth={1.25} aria-hidden />
      <h2>{title}</h2>
      <p className="muted">{text}</p>
      {children}
    </div>
  );
}

/** Instead of what could not be read. What was refused cannot be tried again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isRefused = error instanceof ApiError && !isRetryable(error);
  useEffect(() => (isRefused ? undefined : showFailure()), [isRefused]);
  return (
    <div className="empty" role="alert">
      <p>{getMessage(error)}</p>
      {!isRefused && (
        <button className="button" onClick={onRetry}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

/** `value` from 0 to 1; undefined while nothing is known yet. */
export function Progress({ value, label }: { value: number | undefined; label: string }) {
  return <progress className="progress" aria-label={label} max={1} value={value} />;
}

export function Avatar({ name }: { name: string }) {
  const letters = name
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();
  return (
    <span className="avatar" aria-hidden>
      {letters || '?'}
    </span>
  );
}

export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="page">
      <header className="page-head">
        <h1>{title}</h1>
        <div className="page-actions">{actions}</div>
      </header>
      {children}
    </div>
  );
}
