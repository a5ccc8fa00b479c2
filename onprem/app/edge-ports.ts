import type { Ai } from '../../shared/ai/ai.ts'
import type { AiRuntime } from '../../shared/ai/ai-runtime.ts'
import { configuredAi } from '../../shared/ai/configured-ai.ts'
import { type CatalogueModel, catalogue } from '../../shared/ai/local/catalogue.ts'
import { localModels } from '../../shared/ai/local/local-models.ts'
import type { AiSettings } from '../../shared/ai/model-config.ts'
import type { RetryPolicy } from '../../shared/ai/retry-policy.ts'
import { type Limits, limits, type PreviewLimits, previewLimits } from '../../shared/indexing/limits.ts'
import type { Log } from '../../shared/log.ts'
import type { ShowProgress } from '../../shared/logging/show-progress.ts'
import { type QuestionLimits, questionLimits } from '../../shared/search/question/question-queue.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { guardedSnippets } from '../../shared/store/guarded-snippets.ts'
import { type Passwords, scryptPasswords } from '../accounts/passwords.ts'
import { type NotificationLimits, notificationLimits } from '../notifications/limits.ts'
import { type DiskSpace, diskSpaceOf } from '../store/data-dir/disk-guard.ts'

/** The outer edge of an install, which tests can replace. */
export type EdgePorts = {
  now(): Date
  passwords: Passwords
  limits: Limits
  openSnippets(folder: string, log: Log): SnippetStore
  openAi(settings: AiSettings, runtime: AiRuntime): Ai
  openLocalModels: typeof localModels
  /** The local models that can be added. */
  catalogue: readonly CatalogueModel[]
  questionLimits: QuestionLimits
  notificationLimits: NotificationLimits
  previewLimits: PreviewLimits
  /** Retries of requests for vectors; by default `retryPolicy`. */
  embeddingRetries?: RetryPolicy
  /** The space on the disk of a folder. Undefined if it cannot be read. */
  diskSpace(folder: string): DiskSpace | undefined
  /** Shows running jobs; by default in the log. */
  showProgress?: ShowProgress
}

export const productEdge: EdgePorts = {
  now: () => new Date(),
  passwords: scryptPasswords,
  limits,
  openSnippets: guardedSnippets,
  openAi: configuredAi,
  openLocalModels: localModels,
  catalogue,
  questionLimits,
  notificationLimits,
  previewLimits,
  diskSpace: diskSpaceOf,
}
