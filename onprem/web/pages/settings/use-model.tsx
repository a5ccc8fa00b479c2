import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { countOf, formatDuration } from '../../../../shared/web/format.ts'
import { api } from '../../api/api.ts'
import { changeSettings } from '../../api/change-settings.ts'
import type { LocalModel, ShownSettings } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'

const pageSize = 200

/** The snippets of all libraries. */
async function countSnippets(): Promise<number> {
  let snippets = 0
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(pageSize) }
    const { projects, total } = await answerOf(api.projects.$get({ query }))
    snippets += projects.reduce((sum, { totalSnippets }) => sum + totalSnippets, 0)
    if (projects.length === 0 || page * pageSize >= total) return snippets
  }
}

/** Chooses an installed model, after its cost was shown and a test. */
export function UseModel({ model, settings }: { model: LocalModel; settings: ShownSettings }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" size="xs" aria-label={`Use ${model.name}`} onClick={() => setIsOpen(true)}>
        Use
      </Button>
      <ConfirmDialog
        opened={isOpen}
        close={() => setIsOpen(false)}
        question={`Use ${model.title}?`}
        consequence={<Cost model={model} />}
        verb="Test and use"
        isDestructive={false}
        done={`${model.title} is in use.`}
        onConfirm={() => testAndUse(model, settings)}
      />
    </>
  )
}

function Cost({ model }: { model: LocalModel }) {
  const { data: snippets } = useQuery({ queryKey: ['libraries', 'all-snippets'], queryFn: countSnippets, gcTime: 0 })
  const { use, cpuSecondsPerThousand: cost } = model
  if (use === 'reranking') return <>It orders the best snippets of each question, on the processors of this server.</>
  if (snippets === undefined) return <>The snippets are being counted.</>
  const time =
    cost === undefined ? 'a time that nobody has measured' : `about ${formatDuration(cost * snippets)} of one processor`
  return (
    <>
      All libraries have {countOf(snippets, 'snippet')}, whose vectors take {time}. Until a library is indexed again, it is served
      with the vectors that it has, or found by words.
    </>
  )
}

async function testAndUse({ name, use }: LocalModel, settings: ShownSettings): Promise<void> {
  const isEmbedding = use === 'embedding'
  const changes = isEmbedding
    ? { 'embedding.provider': 'local', 'embedding.model': name }
    : { 'llm.rerank': 'local', 'llm.rerankModel': name }
  const only = isEmbedding ? 'embedding' : 'rerank'
  const { [only]: result } = await answerOf(api.settings.test.$post({ query: { only }, json: changes }))
  if (!result?.ok) throw new Error(result?.error ?? 'The test failed.')
  await changeSettings(settings, changes)
  await queryClient.invalidateQueries({ queryKey: ['settings'] })
}
