import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { type ShownSettings, setupQuery } from '../../api/queries.ts'
import { DraftButtons } from './draft-buttons.tsx'
import { providerOptions } from './llm-form.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

const services = ['embedding'] as const
const fields = [
  'embedding.provider',
  'embedding.model',
  'embedding.baseUrl',
  'embedding.apiKey',
  'embedding.dimensions',
  'aws.region',
]
const withoutEmbeddings = ['', 'anthropic']

/** Which model makes vectors, and whether text leaves the server. One that waits can be started. */
function EmbeddingState() {
  const queryClient = useQueryClient()
  const { data } = useQuery(setupQuery)
  const start = useMutation({
    meta: { done: 'Settings saved.' },
    mutationFn: () => answerOf(api.settings.$patch({ json: { 'embedding.provider': 'auto' } })),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  if (!data) return null
  return (
    <Group justify="space-between">
      <Text size="sm">
        <MessageText>{data.embedding.sentence}</MessageText>
      </Text>
      {data.embedding.state === 'waiting' && (
        <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
          Start
        </Button>
      )}
      {start.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{start.error.message}</MessageText>
        </Text>
      )}
    </Group>
  )
}

/** The model that turns snippets and questions into vectors. */
export function EmbeddingForm({ settings, onSaved }: { settings: ShownSettings; onSaved?: () => void }) {
  const draft = useSettingsDraft(settings, services, onSaved)
  const llm = draft.base['llm.provider']
  const provider = draft.value('embedding.provider')
  const inherits = typeof llm === 'string' && !withoutEmbeddings.includes(llm)
  const isElsewhere = provider === 'auto' ? inherits : !['local', 'none'].includes(provider)
  const options = [
    {
      value: 'auto',
      label: inherits ? 'Automatic: that of the language model' : 'Automatic: a model on this server, if there is one',
    },
    ...providerOptions.filter(({ value }) => !withoutEmbeddings.includes(value)),
    { value: 'local', label: 'Local model' },
    { value: 'none', label: 'None: text search only' },
  ]
  return (
    <Stack gap="md" className={styles.form}>
      <EmbeddingState />
      <SettingField draft={draft} name="embedding.provider" label="Embedding Provider" options={options} />
      {provider === 'local' && (
        <SettingField
          draft={draft}
          name="embedding.model"
          label="Model folder"
          placeholder="all-minilm-l6-v2"
          description="Name of the folder in DATA_DIR/models that holds a sentence encoder"
        />
      )}
      {isElsewhere && (
        <>
          <SettingField
            draft={draft}
            name="embedding.model"
            label="Embedding Model"
            description={
              provider === 'custom' ? 'A model that the server has; required' : 'The default model of the provider if it is empty'
            }
          />
          {provider === 'bedrock' && (
            <SettingField draft={draft} name="aws.region" label="AWS Region" placeholder="eu-central-1" />
          )}
          <SettingField
            draft={draft}
            name="embedding.baseUrl"
            label={provider === 'bedrock' ? 'Bedrock endpoint' : 'Embedding base URL'}
            description={
              provider === 'custom' ? 'For example http://localhost:11434/v1' : 'The address of the provider if it is empty'
            }
          />
          <SettingField
            draft={draft}
            name="embedding.dimensions"
            label="Dimensions"
            description="Only if the provider offers a choice; else those of its first answer"
          />
          <SecretField
            draft={draft}
            name="embedding.apiKey"
            label="Embedding API Key"
            description="That of the same provider's language model if it is empty"
          />
        </>
      )}
      <DraftButtons
        draft={draft}
        fields={fields}
        untested="no provider is chosen"
        results={({ embedding }) =>
          embedding
            ? [
                {
                  ...embedding,
                  text: embedding.ok
                    ? `${embedding.model ?? 'The model'} answered in ${embedding.ms} ms with ${embedding.dimensions} dimensions.`
                    : (embedding.error ?? 'It failed.'),
                },
              ]
            : []
        }
      />
    </Stack>
  )
}
