import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startVisit } from './pages/guest/guest.ts';
import { parseGuestPath } from './base/guest-path.ts';
import { watchConnection } from './base/connection.ts';
import { watchLayout } from './base/first-paint.ts';
import { watchFailedQueries } from './base/failed-queries.ts';
import { queryClient } from './base/query-client.ts';
import { startSession } from './data/session/session.ts';
import { registerWorker } from './offline/register-worker.ts';
import { watchUploadOwner } from './data/uploads/owner.ts';
import { trackUserInput } from './base/user-input.ts';

trackUserInput();
watchConnection();
watchFailedQueries();
const guest = parseGuestPath(location.pathname);
if (!guest) watchUploadOwner();
void (guest ? startVisit(guest) : startSession());
if (!guest) {
  registerWorker();
  watchLayout();
}
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <App guest={guest} />
    </QueryClientProvider>,
  );
}
