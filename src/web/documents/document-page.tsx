import { ArrowLeft, Check, EyeOff, FileX, Pencil, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { pictureOf } from '../pictures.ts';
import { attempt } from '../toast.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { Empty, IconButton, Page } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  correctLine,
  decideField,
  dismissLine,
  type DocumentFieldView,
  type DocumentLine,
  type DocumentResponse,
  fetchDocument,
  forgetField,
  restoreLine,
} from './document-data.ts';

type Change = (work: () => Promise<DocumentResponse>) => Promise<boolean>;
/** A text that is being written anew. */
type Asked = { title: string; text: string; save: (text: string) => Promise<DocumentResponse> };

/** The text of one photo beside its picture; what was read wrongly is corrected here. */
export function DocumentPage({ id }: { id: string }) {
  const { data, error, setData, reload } = useLoad(() => fetchDocument(id), id);
  const [lit, light] = useState<readonly number[]>([]);
  const [asked, ask] = useState<Asked>();
  if (error && !data) {
    return (
      <Empty icon={FileX} title="This document cannot be shown" text={error}>
        <Link href="/documents" className="button">
          To all documents
        </Link>
      </Empty>
    );
  }
  const change: Change = async (work) => {
    const isDone = await attempt(async () => setData(await work()));
    if (!isDone) await reload();
    return isDone;
  };
  const fields = data?.fields.filter(({ suggestedValue, decision }) => suggestedValue ?? decision);
  return (
    <Page
      title="Document"
      actions={
        <Link href="/documents" className="button small">
          <ArrowLeft size={16} aria-hidden /> All documents
        </Link>
      }
    >
      {data && (
        <div className="document">
          <Picture document={data} lit={lit} onLight={light} />
          <div className="document-text">
            {fields && fields.length > 0 && (
              <section className="card" aria-label="Details">
                <h2>Details</h2>
                <ul className="document-fields">
                  {fields.map((field) => (
                    <FieldRow
                      key={field.field}
                      id={id}
                      field={field}
                      isOwner={data.isOwner}
                      change={change}
                      onLight={light}
                      ask={ask}
                    />
                  ))}
                </ul>
              </section>
            )}
            <section className="card" aria-label="Text">
              <h2>Text</h2>
              <ul className="document-lines">
                {data.lines.map((line) => (
                  <LineRow
                    key={line.line}
                    id={id}
                    line={line}
                    isLit={lit.includes(line.line)}
                    isOwner={data.isOwner}
                    change={change}
                    onLight={light}
                    ask={ask}
                  />
                ))}
              </ul>
            </section>
          </div>
        </div>
      )}
      {asked && <TextDialog asked={asked} change={change} onClose={() => ask(undefined)} />}
    </Page>
  );
}

type PictureProps = {
  document: DocumentResponse;
  lit: readonly number[];
  onLight: (lines: readonly number[]) => void;
};

/** The boxes are parts of the picture's width and height. */
function Picture({ document, lit, onLight }: PictureProps) {
  return (
    <div className="document-picture">
      <img src={pictureOf(document.id, 'preview')} alt="The document" />
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden>
        {document.lines.map(({ line, box, isDismissed }) => (
          <polygon
            key={line}
            points={box.join(' ')}
            className={lit.includes(line) ? 'lit' : isDismissed ? 'off' : ''}
            onPointerEnter={() => onLight([line])}
            onClick={() => onLight([line])}
          />
        ))}
      </svg>
    </div>
  );
}

type RowProps = {
  id: string;
  isOwner: boolean;
  change: Change;
  onLight: (lines: readonly number[]) => void;
  ask: (asked: Asked) => void;
};

function LineRow(props: RowProps & { line: DocumentLine; isLit: boolean }) {
  const { id, line, isLit, isOwner, change, onLight, ask } = props;
  return (
    <li
      className={`document-line ${isLit ? 'lit' : ''} ${line.isDismissed ? 'off' : ''}`}
      onPointerEnter={() => onLight([line.line])}
      onFocus={() => onLight([line.line])}
    >
      <span>
        {line.text}
        {line.edit && !line.isDismissed && <small>read as “{line.recognizedText}”</small>}
      </span>
      {isOwner && (
        <>
          <IconButton
            icon={Pencil}
            className="small"
            label={`Correct “${line.text}”`}
            onClick={() =>
              ask({
                title: 'Correct the line',
                text: line.text,
                save: (text) => correctLine(id, line, text),
              })
            }
          />
          {line.edit ? (
            <IconButton
              icon={RotateCcw}
              className="small"
              label={`Show again as it was read: “${line.recognizedText}”`}
              onClick={() => void change(() => restoreLine(id, line))}
            />
          ) : (
            <IconButton
              icon={EyeOff}
              className="small"
              label={`Dismiss “${line.text}”`}
              onClick={() => void change(() => dismissLine(id, line))}
            />
          )}
        </>
      )}
    </li>
  );
}

const nameOf = (field: string): string => {
  const words = field.replaceAll('-', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
};

function FieldRow(props: RowProps & { field: DocumentFieldView }) {
  const { id, field, isOwner, change, onLight, ask } = props;
  const { decision, suggestedValue } = field;
  const name = nameOf(field.field);
  const value = decision?.value ?? suggestedValue ?? '';
  const isDismissed = decision?.action === 'dismiss';
  return (
    <li
      className={isDismissed ? 'document-field off' : 'document-field'}
      onPointerEnter={() => onLight(field.lines)}
      onFocus={() => onLight(field.lines)}
    >
      <span>
        <small>{name}</small>
        {value}
      </span>
      {decision && !isDismissed && <span className="tag">confirmed</span>}
      {isOwner && (
        <>
          {!decision && (
            <IconButton
              icon={Check}
              className="small"
              label={`Confirm ${name}`}
              onClick={() => void change(() => decideField(id, field, { action: 'confirm' }))}
            />
          )}
          <IconButton
            icon={Pencil}
            className="small"
            label={`Correct ${name}`}
            onClick={() =>
              ask({
                title: name,
                text: value,
                save: (text) => decideField(id, field, { action: 'correct', value: text }),
              })
            }
          />
          {decision ? (
            <IconButton
              icon={RotateCcw}
              className="small"
              label={`Take back what was decided about ${name}`}
              onClick={() => void change(() => forgetField(id, field))}
            />
          ) : (
            <IconButton
              icon={X}
              className="small"
              label={`Dismiss ${name}`}
              onClick={() => void change(() => decideField(id, field, { action: 'dismiss' }))}
            />
          )}
        </>
      )}
    </li>
  );
}

type DialogProps = { asked: Asked; change: Change; onClose: () => void };

function TextDialog({ asked, change, onClose }: DialogProps) {
  const form = useForm(async ({ text = '' }) => {
    await change(() => asked.save(text.trim()));
    onClose();
  });
  return (
    <Dialog title={asked.title} onClose={onClose}>
      <Form state={form} action="Save">
        <Field label="Correct text" name="text" defaultValue={asked.text} required autoFocus />
      </Form>
    </Dialog>
  );
}
