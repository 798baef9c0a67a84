import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Check, EyeOff, FileX, Pencil, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { getPictureUrl } from '../../base/pictures.ts';
import { attempt } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Empty, IconButton, Page } from '../../ui/elements.tsx';
import {
  correctLine,
  decideField,
  dismissLine,
  type DocumentFieldView,
  type DocumentLine,
  type DocumentResponse,
  deleteFieldDecision,
  restoreLine,
} from '../../data/documents/document-data.ts';
import { documentQuery } from '../../data/documents/queries.ts';
import styles from './documents.module.css';
import { t } from '../../base/i18n.ts';

/** A text that is being corrected. */
type Editing = { title: string; text: string; save: (text: string) => Promise<DocumentResponse> };

/** The text of one photo beside its picture; what was read wrongly is corrected here. */
export function DocumentPage({ id }: { id: string }) {
  const { data, error } = useQuery(documentQuery(id));
  const [highlighted, setHighlighted] = useState<readonly number[]>([]);
  const [editing, setEditing] = useState<Editing>();
  if (error && !data) {
    return (
      <Empty icon={FileX} title={t('This document cannot be shown')} text={error.message}>
        <Link href="/documents" className="button">
          {t('To all documents')}
        </Link>
      </Empty>
    );
  }
  const fields = data?.fields.filter(({ suggestedValue, decision }) => suggestedValue ?? decision);
  return (
    <Page
      title={t('Document')}
      actions={
        <Link href="/documents" className="button small">
          <ArrowLeft size={16} aria-hidden /> {t('All documents')}
        </Link>
      }
    >
      {data && (
        <div className={styles.document}>
          <Picture document={data} highlighted={highlighted} onHighlight={setHighlighted} />
          <div className={styles.documentText}>
            {fields && fields.length > 0 && (
              <section className="card" aria-label={t('Details')}>
                <h2>{t('Details')}</h2>
                <ul>
                  {fields.map((field) => (
                    <FieldRow
                      key={field.field}
                      id={id}
                      field={field}
                      isOwner={data.isOwner}
                      onHighlight={setHighlighted}
                      onEdit={setEditing}
                    />
                  ))}
                </ul>
              </section>
            )}
            <section className="card" aria-label={t('Text')}>
              <h2>{t('Text')}</h2>
              <ul>
                {data.lines.map((line) => (
                  <LineRow
                    key={line.line}
                    id={id}
                    line={line}
                    isHighlighted={highlighted.includes(line.line)}
                    isOwner={data.isOwner}
                    onHighlight={setHighlighted}
                    onEdit={setEditing}
                  />
                ))}
              </ul>
            </section>
          </div>
        </div>
      )}
      {editing && <TextDialog editing={editing} onClose={() => setEditing(undefined)} />}
    </Page>
  );
}

type PictureProps = {
  document: DocumentResponse;
  highlighted: readonly number[];
  onHighlight: (lines: readonly number[]) => void;
};

/** The boxes are parts of the picture's width and height. */
function Picture({ document, highlighted, onHighlight }: PictureProps) {
  return (
    <div data-part="document-picture" className={styles.documentPicture}>
      <img src={getPictureUrl(document.id, 'preview')} alt={t('The document')} />
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden>
        {document.lines.map(({ line, box, isDismissed }) => (
          <polygon
            key={line}
            points={box.join(' ')}
            data-state={highlighted.includes(line) ? 'lit' : isDismissed ? 'off' : undefined}
            className={highlighted.includes(line) ? styles.lit : isDismissed ? styles.off : ''}
            onPointerEnter={() => onHighlight([line])}
            onClick={() => onHighlight([line])}
          />
        ))}
      </svg>
    </div>
  );
}

type RowProps = {
  id: string;
  isOwner: boolean;
  onHighlight: (lines: readonly number[]) => void;
  onEdit: (editing: Editing) => void;
};

function LineRow(props: RowProps & { line: DocumentLine; isHighlighted: boolean }) {
  const { id, line, isHighlighted, isOwner, onHighlight, onEdit } = props;
  const { edit } = line;
  return (
    <li
      data-part="document-line"
      data-state={line.isDismissed ? 'off' : undefined}
      className={`${styles.documentLine} ${isHighlighted ? styles.lit : ''} ${line.isDismissed ? styles.off : ''}`}
      onPointerEnter={() => onHighlight([line.line])}
      onFocus={() => onHighlight([line.line])}
    >
      <span>
        {line.text}
        {edit && !line.isDismissed && (
          <small>{t('read as “{recognizedText}”', { recognizedText: line.recognizedText })}</small>
        )}
      </span>
      {isOwner && (
        <>
          <IconButton
            icon={Pencil}
            className="small"
            label={t('Correct “{text}”', { text: line.text })}
            onClick={() =>
              onEdit({
                title: t('Correct the line'),
                text: line.text,
                save: (text) => correctLine(id, line, text),
              })
            }
          />
          {edit ? (
            <IconButton
              icon={RotateCcw}
              className="small"
              label={t('Show again as it was read: “{recognizedText}”', {
                recognizedText: line.recognizedText,
              })}
              onClick={() => void attempt(() => restoreLine(id, edit))}
            />
          ) : (
            <IconButton
              icon={EyeOff}
              className="small"
              label={t('Dismiss “{text}”', { text: line.text })}
              onClick={() => void attempt(() => dismissLine(id, line))}
            />
          )}
        </>
      )}
    </li>
  );
}

const LABELS: Record<DocumentFieldView['field'], string> = {
  'document-type': t('Document type'),
  title: t('Title'),
  date: t('Date'),
  'due-date': t('Due date'),
  'expiry-date': t('Expiry date'),
  issuer: t('Issuer'),
  recipient: t('Recipient'),
  'document-number': t('Document number'),
  'total-amount': t('Total amount'),
  currency: t('Currency'),
};

function FieldRow(props: RowProps & { field: DocumentFieldView }) {
  const { id, field, isOwner, onHighlight, onEdit } = props;
  const { decision, suggestedValue } = field;
  const name = LABELS[field.field];
  const value = decision?.value ?? suggestedValue ?? '';
  const isDismissed = decision?.action === 'dismiss';
  return (
    <li
      data-part="document-field"
      data-state={isDismissed ? 'off' : undefined}
      className={isDismissed ? `${styles.documentField} ${styles.off}` : styles.documentField}
      onPointerEnter={() => onHighlight(field.lines)}
      onFocus={() => onHighlight(field.lines)}
    >
      <span>
        <small>{name}</small>
        {value}
      </span>
      {decision && !isDismissed && <span className="tag">{t('confirmed')}</span>}
      {isOwner && (
        <>
          {!decision && (
            <IconButton
              icon={Check}
              className="small"
              label={t('Confirm {name}', { name })}
              onClick={() => void attempt(() => decideField(id, field, { action: 'confirm' }))}
            />
          )}
          <IconButton
            icon={Pencil}
            className="small"
            label={t('Correct {name}', { name })}
            onClick={() =>
              onEdit({
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
              label={t('Undo the decision about {name}', { name })}
              onClick={() => void attempt(() => deleteFieldDecision(id, field.field, decision))}
            />
          ) : (
            <IconButton
              icon={X}
              className="small"
              label={t('Dismiss {name}', { name })}
              onClick={() => void attempt(() => decideField(id, field, { action: 'dismiss' }))}
            />
          )}
        </>
      )}
    </li>
  );
}

type DialogProps = { editing: Editing; onClose: () => void };

function TextDialog({ editing, onClose }: DialogProps) {
  const form = useForm(async ({ text = '' }) => {
    await attempt(() => editing.save(text.trim()));
    onClose();
  });
  return (
    <Dialog title={editing.title} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('Correct text')}
          name="text"
          defaultValue={editing.text}
          required
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
