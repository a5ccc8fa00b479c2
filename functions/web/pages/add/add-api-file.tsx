import { Switch } from '@mantine/core'
import { useState } from 'react'
import { AddFiles } from '../../../../shared/web/add/add-files.tsx'
import type { ChosenFile } from '../../../../shared/web/add/chosen-files.ts'
import { formatBytes } from '../../../../shared/web/format.ts'
import { api } from '../../api/api.ts'
import { useTeam } from '../../api/use-team.ts'
import { useShowAdded } from './use-show-added.ts'

/** The size that a function of AWS receives. */
const maxFileBytes = 4 * 2 ** 20

const words = {
  invitation: 'Drop an API description here, or choose it',
  hint: 'OpenAPI, Swagger or AsyncAPI as .json or .yaml; up to 4 MB, and 10 MB by the API',
  input: 'API description to add',
  button: 'Upload OpenAPI',
  name: { label: 'Title', description: 'Also the name in the id; by default the name of the file' },
}

/** Uploads an API description, which becomes a private library. */
export function AddApiFile() {
  const { id: team } = useTeam()
  const [replaces, setReplaces] = useState(false)
  return (
    <AddFiles<{ libraryId: string }>
      words={words}
      url={api.teamspaces[':team'].sources['openapi-upload'].$url({ param: { team } })}
      fields={{ files: 'openapiFile', name: 'libraryTitle' }}
      more={replaces ? { force: 'true' } : {}}
      done="The file is in your list."
      problemOf={problemOf}
      onAdded={useShowAdded()}
    >
      <Switch
        label="Replace the file of a library with this name"
        description="Without this, a library that exists stays as it is"
        checked={replaces}
        onChange={(event) => setReplaces(event.currentTarget.checked)}
      />
    </AddFiles>
  )
}

function problemOf(files: readonly ChosenFile[]): string | undefined {
  const [first, ...others] = files
  if (!first) return 'Only hidden files were chosen. Choose documents.'
  if (others.length > 0) return `Choose one file. You chose ${files.length}; add them one after the other.`
  if (!/\.(?:json|ya?ml)$/i.test(first.path)) return `${first.path} is no .json, .yaml or .yml file.`
  const { size } = first.file
  return size > maxFileBytes
    ? `${first.path} has ${formatBytes(size)}. A file may have ${formatBytes(maxFileBytes)} here; the API takes up to 10 MB.`
    : undefined
}
