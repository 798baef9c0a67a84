import { useLocation } from 'wouter';
import { showToast } from '../toast.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { createMemory, playlist } from './memory-data.ts';
import { t } from '../i18n.ts';

type Props = { ids: readonly string[]; onClose: (isDone: boolean) => void };

/** Makes a memory of the photos, which is saved at once. */
export function CreateMemoryDialog({ ids, onClose }: Props) {
  const [path, navigate] = useLocation();
  const form = useForm(async (values) => {
    const memory = await createMemory(values['name'] ?? '', ids);
    const play = () => {
      playlist.set({ memories: [memory], from: path });
      navigate(`/memories/${memory.id}`);
    };
    showToast(t('Memory created'), 'success', { action: { label: t('Play'), run: play } });
    onClose(true);
  });
  return (
    <Dialog title={t('Create memory')} onClose={() => onClose(false)}>
      <Form state={form} action={t('Create')}>
        <Field
          label={t('Title')}
          name="name"
          required
          autoFocus
          maxLength={255}
          error={form.fields['name']}
        />
      </Form>
    </Dialog>
  );
}
