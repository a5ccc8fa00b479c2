import { describe, expect, test } from 'vitest'
import { outdatedFolders } from '../../../../shared/reading/discover/outdated-folders.ts'

describe('the detection of outdated version folders', () => {
  test.each([
    [['v1', 'v2', 'guide'], { v1: 'v2' }],
    [['version-1.9', 'version-1.10', 'version-2.x'], { 'version-1.9': 'version-2.x', 'version-1.10': 'version-2.x' }],
    [['1.9', '1.10'], { '1.9': '1.10' }],
    [['2.x', '3.x'], { '2.x': '3.x' }],
    [['1.0', '1.0.1'], { '1.0': '1.0.1' }],
    [['v2.1', 'v2', 'v1.12'], { v2: 'v2.1', 'v1.12': 'v2.1' }],
    [['docs', 'versioned_docs'], { versioned_docs: 'docs' }],
  ])('finds in %j the outdated %j', (names, outdated) => {
    expect(Object.fromEntries(outdatedFolders(names))).toEqual(outdated)
  })

  test.each([
    [['v1']],
    [['2023', '2024']],
    [['01', '02']],
    [['v1alpha1', 'v1beta1']],
    [['python3', 'python2']],
    [['v1', 'version-2']],
  ])('finds none in %j', (names) => {
    expect(outdatedFolders(names).size).toBe(0)
  })
})
