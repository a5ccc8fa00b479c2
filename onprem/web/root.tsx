import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { theme, themeVariables } from '../../shared/web/theme.ts'
import { pageMeta } from './api/page-meta.ts'
import { queryClient } from './api/query-client.ts'
import { router } from './router.tsx'

export const Root = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={themeVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => pageMeta('nonce')}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
)
