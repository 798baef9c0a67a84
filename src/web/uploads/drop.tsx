import { ImageUp, Upload } from 'lucide-react';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { showToast } from '../toast.tsx';
import { filesOfDrop } from './collect.ts';
import { addFiles } from './queue.ts';

const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Files may be dropped anywhere on the page. */
export function DropZone() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Only when the pointer leaves the window, not when it enters another element.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!isFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void filesOfDrop(event.dataTransfer).then(take);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="drop-zone" aria-hidden>
      <ImageUp size={56} strokeWidth={1.25} />
      <p>Drop photos, videos or folders</p>
    </div>
  );
}

function take(files: readonly File[]): void {
  if (addFiles(files) === 0) showToast('There is no photo or video in there.');
}

export function UploadButton({ isCompact = false }: { isCompact?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    take([...(event.target.files ?? [])]);
    event.target.value = '';
  };
  return (
    <>
      <button
        className={isCompact ? 'icon-button' : 'button primary'}
        aria-label={isCompact ? 'Upload' : undefined}
        onClick={() => input.current?.click()}
      >
        <Upload size={18} aria-hidden /> {isCompact ? '' : 'Upload'}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="image/*,video/*,audio/*,.heic,.heif,.dng,.cr2,.cr3,.nef,.arw,.raf,.orf,.rw2,.jxl,.insp,.insv,.mts,.m2ts"
        aria-label="Files to upload"
        onChange={onChange}
      />
    </>
  );
}
