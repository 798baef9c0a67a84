import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { t } from '../i18n.ts';

type Props = {
  title: string;
  name: string;
  onSave: (name: string | null) => Promise<void>;
  onClose: () => void;
};

export function MomentDialog({ title, name, onSave, onClose }: Props) {
  const form = useForm(({ title: text = '' }) => onSave(text.trim() || null));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('What happens here')}
          name="title"
          defaultValue={name}
          maxLength={255}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
