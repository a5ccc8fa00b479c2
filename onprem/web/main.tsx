import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../../shared/web/fonts/fonts.css'
import '../../shared/web/mantine.css'
import '../../shared/web/theme.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { pageMeta } from '../../shared/web/api/page-meta.ts'
import { lazyPart } from '../../shared/web/lazy-part.ts'
import { SettingNameContext } from '../../shared/web/message-text.tsx'
import { theme, themeVariables } from '../../shared/web/theme.ts'
import { queryClient } from './api/query-client.ts'
import { router } from './router.tsx'

const SettingLabel = lazyPart(async () => ({ default: (await import('./frame/setting-label.tsx')).SettingLabel }))

const Root = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={themeVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => pageMeta('nonce')}
  >
    <QueryClientProvider client={queryClient}>
      <SettingNameContext value={SettingLabel}>
        <RouterProvider router={router} />
      </SettingNameContext>
    </QueryClientProvider>
  </MantineProvider>
)

// Mantine's dialogs add style elements, which need the nonce.
setNonce(pageMeta('nonce'))
createRoot(document.getElementById('root') as HTMLElement).render(<Root />)
