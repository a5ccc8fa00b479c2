import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { MessageText } from '../message-text.tsx'

export type Rating = { libraryId: string; question: string; helpful: boolean; comment: string }

type RateAnswerProps = Pick<Rating, 'libraryId' | 'question'> & { send: (rating: Rating) => Promise<unknown> }

const maxCommentChars = 500

/** Says whether an answer helped. One that did not can be explained. */
export function RateAnswer({ libraryId, question, send }: RateAnswerProps) {
  const [isExplaining, setIsExplaining] = useState(false)
  const [comment, setComment] = useState('')
  const rating = useMutation({
    mutationFn: (helpful: boolean) => send({ libraryId, question, helpful, comment: comment.trim() }),
  })
  if (rating.isSuccess)
    return (
      <Text size="sm" c="dimmed" role="status">
        Your rating is stored for the admins of this install.
      </Text>
    )
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          Did this answer help?
        </Text>
        <ActionIcon aria-label="It helped" title="It helped" loading={rating.isPending} onClick={() => rating.mutate(true)}>
          <ThumbsUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          aria-label="It did not help"
          title="It did not help"
          aria-expanded={isExplaining}
          onClick={() => setIsExplaining(true)}
        >
          <ThumbsDown size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {isExplaining && (
        <Stack gap="xs" maw={480}>
          <Textarea
            label="What was wrong or missing"
            description="Admins of this install read it with the question."
            maxLength={maxCommentChars}
            autosize
            minRows={2}
            data-autofocus
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <Group>
            <Button variant="default" size="xs" loading={rating.isPending} onClick={() => rating.mutate(false)}>
              Send
            </Button>
          </Group>
        </Stack>
      )}
      {rating.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{rating.error.message}</MessageText>
        </Text>
      )}
    </Stack>
  )
}
