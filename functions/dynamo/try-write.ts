import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'

/** False if the condition of a write failed. */
export async function tryWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
