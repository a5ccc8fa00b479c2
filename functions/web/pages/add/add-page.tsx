import { Stack, Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPart } from '../../../../shared/web/lazy-part.ts'
import { Page } from '../../../../shared/web/page.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { AddRepository } from './add-repository.tsx'
import type { AddSearch } from './add-search.ts'
import { PrivateOnly } from './private-only.tsx'

const AddAddress = lazyPart(async () => ({ default: (await import('./add-address.tsx')).AddAddress }))
const AddApiFile = lazyPart(async () => ({ default: (await import('./add-api-file.tsx')).AddApiFile }))
const AddSpace = lazyPart(async () => ({ default: (await import('./add-space.tsx')).AddSpace }))

/** Adds libraries from repositories, websites, API descriptions and Confluence. */
export function AddPage() {
  const { from } = useSearch({ from: '/signed-in/frame/teamspaces/$team/libraries/add' })
  const navigate = useNavigate({ from: '/teamspaces/$team/libraries/add' })
  return (
    <Page title="Add Repository">
      <Tabs
        value={from}
        onChange={(value) => void navigate({ search: { from: value as AddSearch['from'] }, replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="git">Git repository</Tabs.Tab>
          <Tabs.Tab value="website">Website</Tabs.Tab>
          <Tabs.Tab value="llmstxt">llms.txt</Tabs.Tab>
          <Tabs.Tab value="openapi">OpenAPI</Tabs.Tab>
          <Tabs.Tab value="confluence">Confluence</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="git">
          <AddRepository />
        </Tabs.Panel>
        <Tabs.Panel value="website">
          <Suspense>
            <AddAddress kind="website" />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="llmstxt">
          <Suspense>
            <AddAddress kind="llmstxt" />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="openapi">
          <Suspense>
            <Stack gap="xl">
              <AddAddress kind="openapi" />
              <PageSection title="From a file">
                <PrivateOnly what="uploaded files">
                  <AddApiFile />
                </PrivateOnly>
              </PageSection>
            </Stack>
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="confluence">
          <Suspense>
            <PrivateOnly what="Confluence libraries">
              <AddSpace />
            </PrivateOnly>
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
