import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string) => pageText(await markdownReader(text, contextOf('docs/page.md')))

test('front matter of PlatyPS, whose keys have spaces, is no text', async () => {
  const text = `---
external help file: Kit.dll-Help.xml
Module Name: Kit
online version: https://example.com/kit
schema: 2.0.0
title: Get-Kit
---
# Get-Kit

Gets a kit.`
  expect(await print(text)).toBe('# Get-Kit\n\nGets a kit.')
})

test('HTML comments in front matter neither end it nor become text', async () => {
  const text = `---
# generated from a template
subcategory: ""
<!-- Please do not edit
this file -->
page_title: "kit_pet Resource"
title: kit_pet
---

# kit_pet (Resource)

Manages a pet.`
  expect(await print(text)).toBe('# kit_pet\n\n## kit_pet (Resource)\n\nManages a pet.')
})

test('prose between two rules is not front matter, although it has a colon', async () => {
  expect(await print('---\nThe rest of this page says one thing: run it.\n---\nMore.')).toContain('says one thing: run it.')
})

test('the comment with a title at the start of a Writerside page titles it', async () => {
  expect(await print('[//]: # (title: Sockets)\n\n<show-structure for="chapter" depth="2"/>\n\nOpen one.')).toBe(
    '# Sockets\n\nOpen one.',
  )
  expect(await print('[//]: # (A remark)\n\n# Sockets\n\nOpen one.')).toBe('# Sockets\n\nOpen one.')
})
