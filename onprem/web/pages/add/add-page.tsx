import { Stack, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPart } from '../../../../shared/web/lazy-part.ts'
import { Page } from '../../../../shared/web/page.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { healthQuery } from '../../api/queries.ts'
import { AddRepository } from './add-repository.tsx'
import type { AddSearch } from './add-search.ts'

const PopularLibraries = lazyPart(async () => ({ default: (await import('./popular-libraries.tsx')).PopularLibraries }))
const AddAddress = lazyPart(async () => ({ default: (await import('./add-address.tsx')).AddAddress }))
const AddFiles = lazyPart(async () => ({ default: (await import('./add-files.tsx')).AddFiles }))
const ImportBundle = lazyPart(async () => ({ default: (await import('./import-bundle.tsx')).ImportBundle }))

/** Adds libraries from repositories, websites, API descriptions and files, or those of a bundle. */
export function AddPage() {
  const { from } = useSearch({ from: '/signed-in/frame/add' })
  const navigate = useNavigate({ from: '/add' })
  const { data: health } = useQuery(healthQuery)
  const imports = health?.licenseInfo.kind === 'offline'
  return (
    <Page title="Add Repository">
      <Tabs
        value={from}
        onChange={(value) => void navigate({ search: { from: value as AddSearch['from'] }, replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="git">Git repository</Tabs.Tab>
          <Tabs.Tab value="popular">Popular</Tabs.Tab>
          <Tabs.Tab value="website">Website</Tabs.Tab>
          <Tabs.Tab value="llmstxt">llms.txt</Tabs.Tab>
          <Tabs.Tab value="openapi">OpenAPI</Tabs.Tab>
          <Tabs.Tab value="confluence">Confluence</Tabs.Tab>
          <Tabs.Tab value="files">Files</Tabs.Tab>
          <Tabs.Tab value="bundle" disabled={!imports} title={imports ? undefined : 'Imports need an offline license.'}>
            Carrel Export
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="git">
          <AddRepository />
        </Tabs.Panel>
        <Tabs.Panel value="popular">
          <Suspense>
            <PopularLibraries />
          </Suspense>
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
                <AddFiles kind="openapi-upload" />
              </PageSection>
            </Stack>
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="confluence">
          <Suspense>
            <AddAddress kind="confluence" />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="files">
          <Suspense>
            <AddFiles kind="files" />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="bundle">
          <Suspense>
            <ImportBundle />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
