import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { AddFiles as Form } from '../../../../shared/web/add/add-files.tsx'
import { api } from '../../api/api.ts'
import { problemOf, type UploadKind } from './problem-of.ts'

const kinds = {
  files: {
    words: {
      invitation: 'Drop files, a folder or a zip here, or choose files',
      hint: 'Markdown, HTML, PDF, Word and the other formats of documentation; up to 200 MB and 10,000 files',
      input: 'Files to add',
      button: 'Add Files',
      name: {
        label: 'Name',
        description:
          'Name of the library in its id; by default that of the folder or of the only file. The same name again replaces its files.',
      },
    },
    url: () => api['parse-files'].$url(),
    fields: { files: 'files', name: 'name' },
  },
  'openapi-upload': {
    words: {
      invitation: 'Drop an API description here, or choose it',
      hint: 'OpenAPI, Swagger or AsyncAPI as .json or .yaml, or a GraphQL schema as .graphql; up to 4 MB',
      input: 'API description to add',
      button: 'Upload OpenAPI',
      name: {
        label: 'Title',
        description: 'Also the name in the id; by default the name of the file. The same name again updates the library.',
      },
    },
    url: () => api['parse-openapi-upload'].$url(),
    fields: { files: 'openapiFile', name: 'projectTitle' },
  },
} as const

/** Uploads files, which become a library. */
export function AddFiles({ kind }: { kind: UploadKind }) {
  const { words, url, fields } = kinds[kind]
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return (
    <Form<unknown>
      words={words}
      url={url()}
      fields={fields}
      hasFolders={kind === 'files'}
      done="The files are in the Parse Queue."
      problemOf={(files) => problemOf(kind, files)}
      onAdded={async () => {
        await queryClient.invalidateQueries()
        await navigate({ to: '/queue' })
      }}
    />
  )
}
