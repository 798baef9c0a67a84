import { useEffect, useRef } from 'react';

type Props = { title: string; text: string };

/** Takes the focus: the link that led to the step may be gone. */
export function StepHead({ title, text }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p className="muted">{text}</p>
    </>
  );
}
